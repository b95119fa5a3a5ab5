import ContentCache
import Foundation
import HTTP
import Shelf
import Synchronization
import TestHarness
import Testing

@Suite("Content that is served where it lies")
struct InPlaceTests {
    private let body = book(300_000)

    /// A bench with a file that isn't copied.
    private struct Place {
        let bench: CacheBench
        let directory: URL
        var file: URL { directory.appending(path: "a book.epub") }

        init(_ body: [UInt8], takesCorrections: Bool = true) throws {
            bench = try CacheBench(takesCorrections: takesCorrections)
            directory = FileManager.default.temporaryDirectory.appending(path: "place-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data(body).write(to: directory.appending(path: "a book.epub"))
            try reopen()
        }

        func reopen() throws {
            try bench.reopen(inPlace: InPlacePolicy { url, _ in URLReference.path(ofFileURL: url) })
        }

        func version(
            _ body: [UInt8], byteCount: Int64? = nil, isBinding: Bool = true, hasHash: Bool = true
        ) -> ContentVersion {
            bench.version(
                1, body, byteCount: byteCount, isBinding: isBinding, hasHash: hasHash,
                url: URLReference.fileURL(path: file.path) ?? "")
        }

        func open(_ version: ContentVersion) { _ = bench.openVersions.withLock { $0.insert(version.id) } }

        func close(_ version: ContentVersion) { _ = bench.openVersions.withLock { $0.remove(version.id) } }

        func remove() { try? FileManager.default.removeItem(at: directory) }
    }

    /// What happens to a file while somebody reads it.
    enum Change: CaseIterable, CustomTestStringConvertible {
        case appended, truncated, replaced, rewritten, removed

        var testDescription: String { "\(self)" }

        func make(_ file: URL) throws {
            switch self {
            case .appended:
                let handle = try FileHandle(forWritingTo: file)
                try handle.seekToEnd()
                try handle.write(contentsOf: Data([1]))
            case .truncated: try FileHandle(forWritingTo: file).truncate(atOffset: 100_000)
            case .replaced: try Data(book(300_000, seed: 8)).write(to: file, options: .atomic)
            case .rewritten:
                let handle = try FileHandle(forWritingTo: file)
                try handle.seek(toOffset: 200_000)
                try handle.write(contentsOf: Data([1, 2, 3]))
            case .removed: try FileManager.default.removeItem(at: file)
            }
        }
    }

    @Test("It is read from its file, whole at once, and nothing is copied or asked for", arguments: [true, false])
    func served(_ hasHash: Bool) throws {
        let place = try Place(body)
        defer { place.remove() }
        let version = place.version(body, hasHash: hasHash)
        expectSame(try place.bench.read(version, 0..<1_000).bytes(0..<300_000), body)
        #expect(place.bench.cache?.openLocal(version) != nil)
        #expect(try place.bench.fetch(version).file != nil)
        #expect(place.bench.cache?.storedVersions() == [])
        #expect(place.bench.stagedNames == [])
        #expect(place.bench.cache?.evict(version.id) == true)
        #expect(FileManager.default.fileExists(atPath: place.file.path))
        #expect(place.bench.cache?.inPlacePolicy.state(ofURL: version.url, source: "test") == .local)
        #expect(place.bench.cache?.verify(version.id, as: version) == .sound)
    }

    @Test(
        "A change under a reader is an error for good; opened anew it is what is there, if the catalog agrees",
        arguments: Change.allCases)
    func changed(_ change: Change) throws {
        let place = try Place(body)
        defer { place.remove() }
        let cache = try #require(place.bench.cache)
        let version = place.version(body, hasHash: false)
        #expect(!cache.prepareToOpen(version.id, isAlone: true))
        place.open(version)
        #expect(try place.bench.read(version, 0..<1_000).file != nil)
        try change.make(place.file)
        #expect(try place.bench.read(version, 1_000..<2_000).error?.symbol == "EIO")
        #expect(try place.bench.read(version, 1_000..<2_000).error?.symbol == "EIO")
        #expect(eventually { place.bench.drops.withLock { $0 } == [version.id] })
        // Also once what it was is back.
        try Data(body).write(to: place.file)
        #expect(try place.bench.read(version, 1_000..<2_000).error?.symbol == "EIO")
        // Who opens it beside that one gets another identity.
        #expect(cache.prepareToOpen(version.id, isAlone: false))
        #expect(eventually { place.bench.renewals.withLock { $0 } == [version.id] })
        place.close(version)

        #expect(!cache.prepareToOpen(version.id, isAlone: true))
        expectSame(try place.bench.read(version).bytes(0..<300_000), body)
        #expect(place.bench.stagedNames == [])
    }

    @Test("What the catalog doesn't agree with isn't served: another size, another hash")
    func disagreeing() throws {
        let place = try Place(body)
        defer { place.remove() }
        let other = book(300_000, seed: 4)
        #expect(try place.bench.read(place.version(other)).error?.symbol == "EIO")
        #expect(try place.bench.read(place.version(other)).error?.symbol == "EIO")
        #expect(place.bench.cache?.journal.current.failures.count == 1, "it is told once, not for each read")
        try Data(other).write(to: place.file)
        expectSame(try place.bench.read(place.version(other)).bytes(0..<300_000), other)
        #expect(place.bench.cache?.journal.current.failures.isEmpty == true)
        let short = place.version(body, byteCount: 299_999, hasHash: false)
        #expect(try place.bench.read(short).error?.symbol == "EIO")
        #expect(place.bench.corrections.withLock { $0 }.isEmpty)
        // A size that doesn't bind is put right.
        let guessed = place.version(body, byteCount: 5, isBinding: false, hasHash: false)
        #expect(try place.bench.read(guessed).file?.byteCount == 300_000)
        #expect(place.bench.corrections.withLock { $0 } == [300_000])
    }

    @Test("What isn't there, isn't a file or may not be read says so, and is served once it is there")
    func missing() throws {
        let place = try Place(body)
        defer { place.remove() }
        let version = place.version(body)
        try FileManager.default.removeItem(at: place.file)
        #expect(try place.bench.read(version).error?.symbol == "ENODATA")
        #expect(place.bench.cache?.inPlacePolicy.state(ofURL: version.url, source: "test") == .unavailable)
        try FileManager.default.createDirectory(at: place.file, withIntermediateDirectories: false)
        #expect(try place.bench.read(version).error?.symbol == "ENODATA")
        try FileManager.default.removeItem(at: place.file)
        #expect(unsafe mkfifo(place.file.path, 0o600) == 0)
        #expect(try place.bench.read(version).error?.symbol == "ENODATA")
        try FileManager.default.removeItem(at: place.file)
        let real = place.directory.appending(path: "real")
        try Data(body).write(to: real)
        try FileManager.default.createSymbolicLink(at: place.file, withDestinationURL: real)
        expectSame(try place.bench.read(version).bytes(0..<300_000), body)
    }

    @Test("Verifying compares the hash, of a file that kept size and date too, and what was given out of it is no good")
    func verified() throws {
        let place = try Place(body)
        defer { place.remove() }
        let cache = try #require(place.bench.cache)
        let version = place.version(body)
        place.open(version)
        #expect(try place.bench.read(version).file != nil)
        var attributes = stat()
        #expect(unsafe stat(place.file.path, &attributes) == 0)
        try Change.rewritten.make(place.file)
        let times = [attributes.st_atim, attributes.st_mtim]
        #expect(unsafe utimensat(AT_FDCWD, place.file.path, times, 0) == 0)
        guard case .damaged(let reason) = cache.verify(version.id, as: version) else {
            Issue.record("it isn't found")
            return
        }
        #expect(reason.contains("SHA-256"))
        #expect(FileManager.default.fileExists(atPath: place.file.path))
        #expect(try place.bench.read(version, 0..<10).error?.symbol == "EIO")
    }

    @Test("A cache that is closed answers who waits for a file")
    func closed() throws {
        let place = try Place(body)
        defer { place.remove() }
        let cache = try #require(place.bench.cache)
        #expect(cache.shutDown())
        #expect(try place.bench.read(place.version(body)).error == .interrupted)
    }
}
