import ContentSources
import Foundation
import Shelf
import Testing

@Suite("Folders of EPUBs")
final class FolderTests {
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "folder-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// Whether the last reading saw nobody write.
    private var isSettled = false

    /// Long after anything was written.
    private static let later: Int64 = 4_000_000_000_000_000_000

    private func read(
        at now: Int64 = later, wait: (Duration) -> Void = { _ in Issue.record("waits") }
    ) throws(SourceError) -> [SourceRecord] {
        var records: [SourceRecord] = []
        let listing = try FolderListing(of: directory.path)
        isSettled = try BookFolder(directory.path).read(listing, now: now, wait: wait) { (record) throws(SourceError) in
            records.append(record)
        }
        return records
    }

    private func put(_ bytes: [UInt8], _ name: String) throws {
        let file = directory.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    /// An EPUB with this in its metadata, and in its manifest.
    private func epub(_ metadata: String, manifest: String = "") -> [UInt8] {
        StoredArchive.bytes([
            ("mimetype", "application/epub+zip"),
            (
                "META-INF/container.xml",
                "<container xmlns='urn:oasis:names:tc:opendocument:xmlns:container'><rootfiles><rootfile full-path='OPS/book.opf' media-type='application/oebps-package+xml'/></rootfiles></container>"
            ),
            (
                "OPS/book.opf",
                "<package xmlns='http://www.idpf.org/2007/opf'><metadata xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:opf='http://www.idpf.org/2007/opf'>\(metadata)</metadata><manifest>\(manifest)</manifest></package>"
            ),
        ])
    }

    @Test("A book is what its package document says, in the older and in the newer way")
    func metadata() throws {
        try put(
            epub(
                """
                <dc:title id="s">A Subtitle</dc:title><dc:title id="m">Main</dc:title><meta refines="#m" property="title-type">main</meta>
                <dc:creator id="a">Ann Mer&amp;row</dc:creator><meta refines="#a" property="file-as">Merrow, Ann</meta>
                <dc:creator id="i">Ill Ustrator</dc:creator><meta refines="#i" property="role">ill</meta>
                <dc:subject>Light</dc:subject><dc:subject>Sea</dc:subject><dc:subject>Light</dc:subject>
                <dc:language>zho</dc:language><dc:publisher>House</dc:publisher><dc:identifier>urn:isbn:123</dc:identifier>
                <dc:description>&lt;p&gt;It burns.&lt;/p&gt;</dc:description>
                <meta property="belongs-to-collection" id="c">Lamps</meta><meta refines="#c" property="collection-type">series</meta>
                <meta refines="#c" property="group-position">3</meta>
                """, manifest: "<item id='c' href='img/c%20v.jpg' properties='cover-image' media-type='image/jpeg'/>"),
            "three.epub")
        try put(
            epub(
                """
                <dc:title>Two</dc:title><dc:creator opf:role="aut" opf:file-as="Bo, B">B Bo</dc:creator><dc:creator opf:role="trl">T</dc:creator>
                <dc:identifier opf:scheme="ISBN">456</dc:identifier><meta name="calibre:series" content="Old"/>
                <meta name="calibre:series_index" content="1.5"/><meta name="cover" content="x"/>
                """, manifest: "<item id='x' href='../c.png' media-type='image/png'/>"), "Sub/two.kepub.epub")
        let books = try read().books
        #expect(books.map(\.key) == ["Sub/two.kepub.epub", "three.epub"])
        let (two, three) = (books[0], books[1])
        #expect(three.title == "Main")
        #expect(three.authors == [Author(name: "Ann Mer&row", sortName: "Merrow, Ann")])
        #expect(three.categories == ["Light", "Sea"])
        #expect(three.language == "zh" && three.publisher == "House" && three.isbn == "123")
        #expect(three.description == "It burns.")
        #expect(three.series == "Lamps" && three.seriesIndex == 3)
        #expect(three.coverURL?.hasSuffix("/three.epub#OPS/img/c%20v.jpg") == true)
        #expect(three.isPurchased && three.content.map { LibraryFile.isOne($0.url) } == true)
        #expect(two.title == "Two" && two.authors == [Author(name: "B Bo", sortName: "Bo, B")])
        #expect(two.isbn == "456" && two.series == "Old" && two.seriesIndex == 1.5)
        #expect(two.content?.mediaType == "application/kepub+zip")
        #expect(two.coverURL?.hasSuffix("/two.kepub.epub#c.png") == true)
    }

    @Test("A book that can't be read is listed under the name of its file, and reported")
    func broken() throws {
        try put(Array("not a book".utf8), "Broken Book.epub")
        try put(epub("<dc:creator>Nobody</dc:creator>"), "Untitled.epub")
        try put(StoredArchive.bytes([("a", "b")]), "No Container.EPUB")
        try put(
            StoredArchive.bytes([
                ("META-INF/container.xml", "<!DOCTYPE c [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><c>&x;</c>")
            ]), "Entity.epub")
        let records = try read()
        #expect(records.books.map(\.title) == ["Broken Book", "Entity", "No Container", "Untitled"])
        #expect(records.books.allSatisfy { $0.content != nil })
        #expect(records.skipped.count == 3)
        #expect(records.skipped.allSatisfy { $0.key == nil && $0.reason.contains("listed under the name of its file") })
    }

    @Test("A file that isn't whole yet is passed over, and its book stays")
    func growing() throws {
        let whole = epub("<dc:title>Whole</dc:title>")
        try put(Array(whole[..<(whole.count - 10)]), "part.epub")
        try put([], "empty.epub")
        let now = Int64(Date().timeIntervalSince1970 * 1e9)
        let records = try read(at: now + 10_000_000_000)
        #expect(records.books.isEmpty)
        #expect(records.skipped.map(\.key) == ["empty.epub", "part.epub"])
        // One that was left so is broken.
        #expect(try read().books.map(\.title) == ["part"])
    }

    @Test("A file that was changed just now is looked at again, and taken if nobody goes on writing")
    func settling() throws {
        try put(epub("<dc:title>Still</dc:title>"), "still.epub")
        try put(epub("<dc:title>Moving</dc:title>"), "moving.epub")
        var waits: [Duration] = []
        let now = Int64(Date().timeIntervalSince1970 * 1e9)
        let records = try read(at: now) { duration in
            waits.append(duration)
            let file = FileHandle(forWritingAtPath: self.directory.path + "/moving.epub")
            _ = try? file?.seekToEnd()
            try? file?.write(contentsOf: Data("more".utf8))
            try? file?.close()
        }
        #expect(waits == [.seconds(1)])
        #expect(records.books.map(\.title) == ["Still"])
        #expect(records.skipped.map(\.key) == ["moving.epub"])
    }

    @Test("Whether anything changed is seen without opening a file, unless somebody was writing")
    func fingerprint() throws {
        try put(epub("<dc:title>One</dc:title>"), "one.epub")
        let first = try FolderListing(of: directory.path).fingerprint
        #expect(try FolderListing(of: directory.path).fingerprint == first)
        _ = try read()
        #expect(isSettled)
        try put(epub("<dc:title>Two</dc:title>"), "a/two.epub")
        let second = try FolderListing(of: directory.path).fingerprint
        #expect(second != first)
        try put(epub("<dc:title>Two!</dc:title>"), "a/two.epub")
        #expect(try FolderListing(of: directory.path).fingerprint != second)
        try put(Array("half".utf8), "half.epub")
        _ = try read(at: Int64(Date().timeIntervalSince1970 * 1e9) + 10_000_000_000)
        #expect(!isSettled)
    }

    @Test("Folders within are read; what is hidden, a link to a folder, a pipe and other files aren't")
    func tree() throws {
        try put(epub("<dc:title>Deep</dc:title>"), "a/b/c/deep.epub")
        try put(epub("<dc:title>Hidden</dc:title>"), ".hidden.epub")
        try put(epub("<dc:title>Hidden</dc:title>"), ".trash/hidden.epub")
        try put(Array("x".utf8), "notes.txt")
        try FileManager.default.createDirectory(
            at: directory.appending(path: "folder.epub"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/a/loop", withDestinationPath: directory.path)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/linked.epub", withDestinationPath: "a/b/c/deep.epub")
        let made = unsafe mkfifo(directory.path + "/pipe.epub", 0o600)
        #expect(made == 0)
        #expect(try read().books.map(\.key) == ["a/b/c/deep.epub", "linked.epub"])
    }

    @Test("A folder that isn't there or may not be read is an error: its books aren't gone")
    func missing() throws {
        try put(epub("<dc:title>Whole</dc:title>"), "whole.epub")
        try FileManager.default.moveItem(atPath: directory.path, toPath: directory.path + "-away")
        defer { try? FileManager.default.removeItem(atPath: directory.path + "-away") }
        #expect(throws: SourceError.self) { try read() }
    }

    @Test(
        "Each EPUB of the corpus is read, or listed under the name of its file with a reason",
        .enabled(if: Corpus.isThere, "needs the corpus: BOOKSHELF_TEST_CORPUS, or ../shared/corpus"))
    func corpus() throws {
        var files = 0
        for part in ["epub", "broken"] {
            for file in try Corpus.files(part) where file.hasSuffix(".epub") || file.hasSuffix(".zip") {
                try put(try Corpus.bytes(part, file), "\(part)/\(file).epub")
                files += 1
            }
        }
        let records = try read()
        let passwords = String(decoding: try Data(contentsOf: URL(filePath: "/etc/passwd")), as: UTF8.self)
        let first = String(passwords.prefix { $0 != "\n" })
        for book in records.books {
            #expect(!book.title.isEmpty)
            #expect(!"\(book)".contains(first))
        }
        // What the index says was found by another program.
        let index = String(decoding: try Corpus.bytes("epub", "index.tsv"), as: UTF8.self)
        var wanted: [String: (title: String, author: String)] = [:]
        for line in index.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            wanted["epub/\(fields[0]).epub"] = (
                fields[5].components(separatedBy: " | ")[0], fields[6].components(separatedBy: " | ")[0]
            )
        }
        var count = 0
        for book in records.books {
            guard let expected = wanted[book.key], !expected.title.isEmpty else { continue }
            #expect(book.title == expected.title, "\(book.key)")
            #expect(book.authors.first?.name ?? "" == expected.author, "\(book.key)")
            count += 1
        }
        #expect(count > 100)
        // Each is listed, or passed over because it is empty.
        #expect(records.books.count + records.skipped.count { $0.key != nil } == files)
    }
}
