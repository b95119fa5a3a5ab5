import ContentCache
import Foundation
import Shelf
import Synchronization
import TestHarness
import Testing

@Suite("Content on disk")
struct StorageTests {
    private let body = book(100_000)

    /// What becomes of a file behind the cache's back.
    enum Harm: CaseIterable, CustomTestStringConvertible {
        case truncated, grown, changed, removed, replaced, recordRemoved, recordDamaged, directoryRemoved

        var testDescription: String { "\(self)" }

        func harm(_ file: URL, in bench: CacheBench) throws {
            let record = file.deletingPathExtension().appendingPathExtension("record")
            switch self {
            case .truncated: try FileHandle(forWritingTo: file).truncate(atOffset: 50_000)
            case .grown:
                let handle = try FileHandle(forWritingTo: file)
                try handle.seekToEnd()
                try handle.write(contentsOf: Data([0]))
            case .changed:
                let handle = try FileHandle(forWritingTo: file)
                try handle.seek(toOffset: 70_000)
                try handle.write(contentsOf: Data([0, 1, 2, 3]))
            case .removed: try FileManager.default.removeItem(at: file)
            case .replaced:
                try FileManager.default.removeItem(at: file)
                try Data(book(100_000, seed: 9)).write(to: file)
            case .recordRemoved: try FileManager.default.removeItem(at: record)
            case .recordDamaged: try Data("bookshelf content 1\nsize".utf8).write(to: record)
            case .directoryRemoved: try FileManager.default.removeItem(at: bench.directory)
            }
        }
    }

    @Test("What was damaged or removed is fetched again, never served", arguments: Harm.allCases, [true, false])
    func harmed(_ harm: Harm, _ isReopened: Bool) throws {
        let bench = try CacheBench()
        let version = try bench.bringLocal(1, body, hasHash: false)
        let file = try #require(bench.file(of: version))
        try harm.harm(file, in: bench)
        if isReopened { try bench.reopen() }
        // An open file whose record went is as good as before.
        let isHarmless = !isReopened && (harm == .recordRemoved || harm == .recordDamaged)
        expectSame(try bench.read(version).bytes(0..<100_000), body)
        #expect(bench.server.requests.count == (isHarmless ? 1 : 2))
        if !isHarmless { #expect(bench.cache?.state(of: version.id) == .local) }
    }

    @Test("A file that the catalog isn't asked about is still looked at before each read", arguments: Harm.allCases)
    func harmedWhileCurrent(_ harm: Harm) throws {
        let bench = try CacheBench()
        let version = try bench.bringLocal(1, body, hasHash: false)
        let cache = try #require(bench.cache)
        #expect(cache.openCurrent(version.id) == nil)
        cache.noteCurrent(version.id, try #require(cache.openLocal(version)))
        #expect(cache.openCurrent(version.id) != nil)
        try harm.harm(try #require(bench.file(of: version)), in: bench)
        let isHarmless = harm == .recordRemoved || harm == .recordDamaged
        #expect((cache.openCurrent(version.id) == nil) == !isHarmless)
        expectSame(try bench.read(version).bytes(0..<100_000), body)
    }

    @Test("The catalog is asked again once a content is opened, has changed, or has another file")
    func rechecked() throws {
        let bench = try CacheBench()
        let version = try bench.bringLocal(1, body, hasHash: false)
        let cache = try #require(bench.cache)
        let file = try #require(cache.openLocal(version))
        cache.noteCurrent(version.id, file)
        cache.recheck(version.id)
        #expect(cache.openCurrent(version.id) == nil)
        cache.noteCurrent(version.id, file)
        cache.recheckAll()
        #expect(cache.openCurrent(version.id) == nil)
        cache.noteCurrent(version.id, file)
        #expect(cache.evict(version.id))
        #expect(cache.openCurrent(version.id) == nil)
        #expect(try bench.read(version).file != nil)
        // What was noted of the file that is gone says nothing of the next.
        cache.noteCurrent(version.id, file)
        #expect(cache.openCurrent(version.id) == nil)
    }

    @Test("The directory is private, and tells those who make backups what it is")
    func directory() throws {
        let bench = try CacheBench()
        let version = try bench.bringLocal(1, body)
        for name in ["", "/content", "/stage"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: bench.path + name)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
        let file = try #require(bench.file(of: version))
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
        let tag = try String(contentsOfFile: bench.path + "/CACHEDIR.TAG", encoding: .utf8)
        #expect(tag.hasPrefix("Signature: 8a477f597d28d172789f06886806bc55\n"))
    }

    @Test("What was left staged and can't be gone on with is removed")
    func abandonedStages() throws {
        let bench = try CacheBench()
        for name in ["2147483646-1", "7.part", "8.part.progress", "8.part.progress~", "other"] {
            try Data(body).write(to: URL(filePath: bench.path + "/stage/" + name))
        }
        try bench.reopen()
        #expect(bench.stagedNames == [])
    }

    @Test("Eviction takes what is closed and nothing else, and the count follows")
    func evict() throws {
        let bench = try CacheBench()
        let cache = try #require(bench.cache)
        for id in 1...3 {
            bench.server.serve("/\(id)", ServedContent(body))
            #expect(try bench.read(bench.version(Int64(id), body)).file != nil)
            if id == 1 { #expect(cache.usage().fileCount == 1) }
        }
        #expect(cache.usage() == .init(byteCount: 300_000, fileCount: 3))
        let open = bench.version(1, body)
        _ = bench.openVersions.withLock { $0.insert(open.id) }
        #expect(!cache.evict(open.id))
        #expect(cache.state(of: open.id) == .local)

        let held = try #require(bench.read(bench.version(2, body)).file)
        #expect(cache.evict(VersionID(rawValue: 2)))
        #expect(cache.state(of: VersionID(rawValue: 2)) == .placeholder)
        #expect(cache.usage() == .init(byteCount: 200_000, fileCount: 2))
        var first = [UInt8](repeating: 0, count: 4)
        #expect(unsafe pread(held.descriptor, &first, 4, 0) == 4, "a file that is held reads on")

        var local: [Int64] = []
        cache.forEachLocal { version, byteCount in
            local.append(version.rawValue)
            #expect(byteCount == 100_000)
        }
        #expect(local.sorted() == [1, 3])
        cache.remove(open.id)
        #expect(cache.usage().fileCount == 1)
    }

    @Test("A content that is removed while it arrives leaves nothing, and its readers learn it")
    func removedInFlight() throws {
        let bench = try CacheBench()
        let cache = try #require(bench.cache)
        let version = bench.serve(1, body) { $0.stallsAfter = 50_000 }
        let early = try bench.read(version, 0..<10_000)
        #expect(early.file != nil)
        #expect(!cache.evict(version.id))
        let late = try bench.read(version)
        cache.remove(version.id)
        #expect(late.error == .removed)
        #expect(eventually { bench.stagedNames.isEmpty })
        #expect(cache.state(of: version.id) == .placeholder)
    }

    @Test("A hash that the catalog learns later is compared with the one recorded")
    func laterHash() throws {
        let bench = try CacheBench()
        bench.server.serve("/1", ServedContent(body), ServedContent(book(100_000, seed: 3)))
        #expect(try bench.read(bench.version(1, body, hasHash: false)).file != nil)
        #expect(try bench.read(bench.version(1, body)).file?.sha256 == bench.version(1, body).sha256)
        #expect(bench.server.requests.count == 1)
        let other = book(100_000, seed: 3)
        expectSame(try bench.read(bench.version(1, other)).bytes(0..<100_000), other)
        #expect(bench.server.requests.count == 2)
    }

    @Test("Shutting down answers everyone who waits, and ends the threads")
    func shutDown() throws {
        let bench = try CacheBench()
        let cache = try #require(bench.cache)
        var content = ServedContent(body)
        content.isHeld = true
        bench.server.serve("/1", content)
        let answer = try bench.read(bench.version(1, body))
        #expect(cache.shutDown())
        #expect(answer.error == .interrupted)
        #expect(try bench.read(bench.version(1, body)).error == .interrupted)
    }

    @Test("One process has a cache; the next learns who, and the lock goes with its last owner")
    func lock() throws {
        let bench = try CacheBench()
        var lock: CacheLock? = try CacheLock(ofCacheAt: bench.path)
        #expect(throws: ContentCacheError.inUse(path: bench.path, pid: getpid())) {
            _ = try CacheLock(ofCacheAt: bench.path)
        }
        // As a worker inherits it.
        let inherited = dup(lock?.descriptor ?? -1)
        var worker: CacheLock? = CacheLock(inherited: inherited)
        #expect(fcntl(inherited, F_GETFD) == FD_CLOEXEC)
        lock = nil
        #expect(throws: ContentCacheError.self) { _ = try CacheLock(ofCacheAt: bench.path) }
        worker = nil
        #expect(throws: Never.self) { _ = try CacheLock(ofCacheAt: bench.path) }
        _ = (lock == nil, worker == nil)
    }

    @Test("A directory that can't be made is refused with the reason")
    func unusable() {
        #expect(throws: ContentCacheError.self) {
            _ = try CacheLock(ofCacheAt: "/dev/null/cache")
        }
    }
}
