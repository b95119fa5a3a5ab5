import ContentSources
import Foundation
import Shelf
import Testing

@Suite("Where content is")
struct LocationTests {
    private let store = CatalogOrigin.network("https://store.example/a/b/catalog.json?x=1")

    @Test(
        "A relative URL is resolved against the URL of the document",
        arguments: [
            ("7.epub", "https://store.example/a/b/7.epub"), ("c/7.epub", "https://store.example/a/b/c/7.epub"),
            ("/7.epub", "https://store.example/7.epub"), ("../7.epub", "https://store.example/a/7.epub"),
            ("./7.epub", "https://store.example/a/b/7.epub"), ("//cdn.example/7.epub", "https://cdn.example/7.epub"),
            ("?id=7", "https://store.example/a/b/catalog.json?id=7"),
            ("7.epub?v=2", "https://store.example/a/b/7.epub?v=2"),
            ("Bel Ami.epub", "https://store.example/a/b/Bel%20Ami.epub"),
            ("红.epub", "https://store.example/a/b/%E7%BA%A2.epub"), ("7.epub#part", "https://store.example/a/b/7.epub"),
            ("https://cdn.example/7.epub", "https://cdn.example/7.epub"),
            ("https://cdn.example:8443/7.epub?a=b&c=%20", "https://cdn.example:8443/7.epub?a=b&c=%20"),
            ("http://cdn.example/a/../7.epub", "http://cdn.example/7.epub"),
        ])
    func resolves(_ reference: String, _ expected: String) throws {
        #expect(try content(#"{"title":"x","contentUrl":"\#(reference)"}"#, store)?.url == expected)
        let book = try Reading.book(
            #"{"title":"x","coverUrl":"\#(reference)","storeUrl":"\#(reference)"}"#, origin: store)
        #expect(book?.coverURL == expected)
        #expect(book?.storeURL == expected)
    }

    @Test("Content may be an object of S3, and beside an object; a page in the store may not")
    func objects() throws {
        let record = #"{"title":"x","contentUrl":"s3://bucket/x.epub","storeUrl":"s3://bucket/x"}"#
        for origin in [store, .unknown] {
            let book = try Reading.book(record, origin: origin)
            #expect(book?.content?.url == "s3://bucket/x.epub")
            #expect(book?.storeURL == nil)
        }
        let object = CatalogOrigin.network("s3://bucket/shelf/catalog.json")
        for (reference, url) in [("b/x.epub", "s3://bucket/shelf/b/x.epub"), ("/a b.epub", "s3://bucket/a%20b.epub")] {
            let book = try Reading.book(#"{"title":"x","contentUrl":"\#(reference)"}"#, origin: object)
            #expect(book?.content?.url == url)
        }
        let reading = try Reading(#"[{"title":"x","contentUrl":"file:///etc/passwd"}]"#, origin: object)
        #expect(reading.books.isEmpty)
    }

    @Test(
        "A store on the network can't name files of this machine, nor anything else but what comes over it",
        arguments: [
            "file:///etc/passwd", "FILE:///etc/passwd", "ftp://h/x.epub", "data:text/plain,x",
        ])
    func networkNamesNoFiles(_ reference: String) throws {
        let record = #"{"title":"x","coverUrl":"\#(reference)","storeUrl":"\#(reference)"}"#
        let book = try Reading.book(record, origin: store)
        for url in [book?.coverURL, book?.storeURL] {
            #expect(url == nil || url?.hasPrefix("https://store.example/") == true)
        }
        let reading = try Reading(#"[{"title":"x","contentUrl":"\#(reference)"}]"#, origin: store)
        if let url = reading.books.first?.content?.url {
            #expect(url.hasPrefix("https://store.example/"))
        } else {
            #expect(reading.skipped.first?.reason.hasPrefix("contentUrl is") == true)
        }
    }

    @Test("The reason says that a store can't name files")
    func networkReason() throws {
        let reason = try Reading.fault(#"{"title":"x","contentUrl":"file:///etc/passwd"}"#, origin: store)
        #expect(reason == "contentUrl is a file: a store on the network can't name files of this machine")
    }

    @Test("A document from nowhere may name absolute http and https URLs only")
    func unknownOrigin() throws {
        #expect(try content(#"{"title":"x","contentUrl":"https://h/x.epub"}"#, .unknown)?.url == "https://h/x.epub")
        #expect(try Reading.fault(#"{"title":"x","contentUrl":"x.epub"}"#)?.contains("relative") == true)
        #expect(try Reading.fault(#"{"title":"x","contentUrl":"file:///x.epub"}"#)?.contains("is a file") == true)
        #expect(try Reading.book(#"{"title":"x","coverUrl":"x.jpg","storeUrl":"file:///x"}"#)?.coverURL == nil)
    }

    @Test("A catalog file may name files beside it and elsewhere; their sizes and dates come from the file system")
    func filesBeside() throws {
        let folder = try Folder()
        try folder.write("files/Bel Ami.epub", byteCount: 1_234, modifiedAt: 1_700_000_000)
        try folder.write("files/100% What?.epub", byteCount: 55)
        let path = folder.path
        for reference in [
            "files/Bel%20Ami.epub", "files/Bel Ami.epub", "./files/x/../Bel%20Ami.epub",
            "file://\(path)/files/Bel%20Ami.epub",
        ] {
            let content = try content(#"{"title":"x","contentUrl":"\#(reference)"}"#, .directory(path))
            #expect(content?.url == "file://\(path)/files/Bel%20Ami.epub", "\(reference)")
            #expect(content?.byteCount == 1_234)
            #expect(content?.modifiedAt == 1_700_000_000)
        }
        let declared = try content(
            #"{"title":"x","contentUrl":"files/Bel Ami.epub","fileSizeInBytes":99,"lastModified":"1970-01-01"}"#,
            .directory(path))
        #expect(declared?.byteCount == 99)
        #expect(declared?.modifiedAt == 0)
        let raw = try content(#"{"title":"x","contentUrl":"files/100% What?.epub"}"#, .directory(path))
        #expect(raw?.url == "file://\(path)/files/100%25%20What%3F.epub")
        #expect(raw?.byteCount == 55)
        let missing = try content(#"{"title":"x","contentUrl":"none.epub"}"#, .directory(path))
        #expect(missing?.url == "file://\(path)/none.epub")
        #expect(missing?.byteCount == nil)
        let folderItself = try Reading.fault(#"{"title":"x","contentUrl":"files"}"#, origin: .directory(path))
        #expect(folderItself == "contentUrl isn't the URL of a file")
        let otherHost = try Reading.fault(#"{"title":"x","contentUrl":"file://other/x"}"#, origin: .directory(path))
        #expect(otherHost?.hasPrefix("contentUrl isn't") == true)
        #expect(try content(#"{"title":"x","contentUrl":"https://h/x"}"#, .directory(path))?.url == "https://h/x")
    }

    @Test("Without contentUrl, books/ID.epub is looked for, then books/TITLE.epub")
    func booksFolder() throws {
        let folder = try Folder()
        try folder.write("books/b-7.epub", byteCount: 7, modifiedAt: 1_600_000_000)
        try folder.write("books/Oblomov.epub", byteCount: 8)
        let origin = CatalogOrigin.directory(folder.path)
        let byID = try content(#"{"id":"b-7","title":"Oblomov"}"#, origin)
        #expect(byID?.url == "file://\(folder.path)/books/b-7.epub")
        #expect(byID?.byteCount == 7)
        #expect(byID?.modifiedAt == 1_600_000_000)
        #expect(try content(#"{"id":"b-8","title":"Oblomov"}"#, origin)?.byteCount == 8)
        #expect(try content(#"{"title":"Oblomov"}"#, origin)?.byteCount == 8)
        #expect(try content(#"{"title":"oblomov"}"#, origin) == nil)
        #expect(try content(#"{"title":"None"}"#, origin) == nil)
        // A network catalog finds nothing beside itself.
        #expect(try content(#"{"id":"b-7","title":"Oblomov"}"#, store) == nil)
        #expect(try content(#"{"id":"b-7","title":"Oblomov"}"#, .directory("/nonexistent")) == nil)
    }

    @Test("A title in another normal form than the name of its file is the same title")
    func normalForms() throws {
        let folder = try Folder()
        try folder.write("books/e\u{301}tude.epub", byteCount: 1)
        try folder.write("books/\u{E0} la carte.epub", byteCount: 2)
        try folder.write("books/q\u{307}\u{323}.epub", byteCount: 3)
        let origin = CatalogOrigin.directory(folder.path)
        #expect(try content("{\"title\":\"\u{E9}tude\"}", origin)?.byteCount == 1)
        #expect(try content("{\"title\":\"e\u{301}tude\"}", origin)?.byteCount == 1)
        #expect(try content("{\"title\":\"a\u{300} la carte\"}", origin)?.byteCount == 2)
        #expect(try content("{\"title\":\"q\u{323}\u{307}\"}", origin)?.byteCount == 3)
        #expect(
            try content("{\"title\":\"\u{E9}tude\"}", origin)?.url == "file://\(folder.path)/books/e%CC%81tude.epub")
    }

    @Test(
        "No name in a document leads out of the folder of books",
        arguments: [
            "../secret", "../../etc/passwd", "..", ".", "/etc/passwd", "sub/inner", "\\u0000../secret",
            "a/../../secret",
        ])
    func noEscape(_ name: String) throws {
        let folder = try Folder()
        try folder.write("secret.epub", byteCount: 1)
        try folder.write("books/sub/inner.epub", byteCount: 1)
        try folder.write("books/folder.epub/x", byteCount: 1)
        let origin = CatalogOrigin.directory(folder.path)
        #expect(try content(#"{"id":"\#(name)","title":"\#(name)"}"#, origin) == nil)
        #expect(try content(#"{"title":"folder"}"#, origin) == nil)
    }

    @Test("Fifty records without contentUrl leave no descriptor behind")
    func closesFolder() throws {
        let folder = try Folder()
        try folder.write("books/x.epub", byteCount: 1)
        let document = "[" + (0..<50).map { "{\"title\":\"é\($0)\"}" }.joined(separator: ",") + "]"
        _ = try Reading(document, origin: .directory(folder.path))
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"))?
                .hasPrefix(folder.path) == true
        }
        #expect(open == [])
    }

    @Test("The origin of a file is its own folder, as an absolute path")
    func beside() throws {
        let folder = try Folder()
        try folder.write("catalog.json", byteCount: 0)
        #expect(try CatalogOrigin.beside(folder.path + "/catalog.json") == .directory(folder.path))
        #expect(try CatalogOrigin.beside("catalog.json") == .directory(FileManager.default.currentDirectoryPath))
        #expect(try CatalogOrigin.beside("/catalog.json") == .directory("/"))
        #expect(throws: SourceError.self) { try CatalogOrigin.beside("/no/such/catalog.json") }
    }

    @Test("A document that can't be read says why")
    func unreadable() throws {
        let folder = try Folder()
        #expect(throws: SourceError.unreachable(reason: "there is no file \(folder.path)/none")) {
            _ = try CatalogDocument(path: folder.path + "/none")
        }
        var document = try CatalogDocument(path: folder.path)
        var error: SourceError?
        do throws(SourceError) { _ = try document.next() } catch let fault { error = fault }
        #expect(error == .refused(reason: "\(folder.path) is a folder, not a catalog document"))
    }

    @Test("A document comes in pieces from a file and from a pipe")
    func pieces() throws {
        let folder = try Folder()
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try Data(bytes).write(to: URL(filePath: folder.path + "/x"))
        var file = try CatalogDocument(path: folder.path + "/x")
        var taken: [UInt8] = []
        while let piece = try file.next() {
            #expect(!piece.isEmpty && piece.count <= 64 << 10)
            taken += piece
        }
        #expect(taken == bytes)

        let pipe = Pipe()
        let writer = Thread {
            pipe.fileHandleForWriting.write(Data(bytes))
            try? pipe.fileHandleForWriting.close()
        }
        writer.start()
        var input = CatalogDocument(borrowing: pipe.fileHandleForReading.fileDescriptor)
        taken = []
        while let piece = try input.next() { taken += piece }
        #expect(taken == bytes)
    }

    private func content(_ record: String, _ origin: CatalogOrigin) throws -> ContentStatement? {
        let reading = try Reading("[\(record)]", origin: origin)
        #expect(reading.skipped == [])
        return reading.books.first?.content
    }
}

/// A folder that goes with its owner.
private final class Folder {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sources-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.resolvingSymlinksInPath().path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func write(_ name: String, byteCount: Int, modifiedAt: Int? = nil) throws {
        let file = URL(filePath: path + "/" + name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(count: byteCount).write(to: file)
        if let modifiedAt {
            let date = Date(timeIntervalSince1970: Double(modifiedAt))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
        }
    }
}
