import ContentCache
import Foundation
import Shelf
import Synchronization
import TestHarness
import Testing

@Suite("How much the cache holds")
struct QuotaTests {
    private let body = book(100_000)

    /// A cache that may hold so many bytes, and whose server has books 1 to 9.
    private func bench(
        limit: Int64, memory: Int64 = 1 << 20, age: Duration? = nil, useInterval: Duration = .nanoseconds(1)
    ) throws -> CacheBench {
        let bench = try CacheBench { settings in
            settings.limit = { _ in limit }
            settings.memoryByteCount = memory
            settings.maximumAge = age
            settings.useInterval = useInterval
        }
        for id in 1...9 { bench.server.serve("/\(id)", ServedContent(body)) }
        return bench
    }

    /// Reads a book to its end.
    private func read(_ id: Int64, in bench: CacheBench) throws {
        let answer = try bench.read(bench.version(id, body))
        expectSame(answer.bytes(0..<100_000), body)
    }

    /// Whether these books are on disk, soon.
    private func holds(_ numbers: [Int64], _ bench: CacheBench) -> Bool {
        eventually { bench.localNumbers == numbers }
    }

    @Test("Room is made before a fetch, at the cost of what was used longest ago")
    func leastRecentlyUsed() throws {
        let bench = try bench(limit: 350_000)
        for id in 1...3 { try read(Int64(id), in: bench) }
        try read(1, in: bench)
        try read(4, in: bench)
        #expect(holds([1, 3, 4], bench))
        try read(5, in: bench)
        #expect(holds([1, 4, 5], bench))
        #expect(bench.cache?.usage() == .init(byteCount: 300_000, fileCount: 3))
        #expect(bench.server.requests.count == 5)
    }

    @Test("When something was last used survives the process")
    func useSurvives() throws {
        let bench = try bench(limit: 350_000)
        for id in 1...3 { try read(Int64(id), in: bench) }
        try read(1, in: bench)
        try bench.reopen()
        try read(4, in: bench)
        #expect(holds([1, 3, 4], bench))
    }

    @Test("A use is written down once in an interval, and leaves the date by which a file is known")
    func useIsNoted() throws {
        let bench = try bench(limit: .max, useInterval: .seconds(60))
        try read(1, in: bench)
        let file = try #require(bench.file(of: bench.version(1, body)))
        // Tomorrow, so that the kernel has no reason to note a use by itself.
        let soon = time(nil) + 86_400
        let times = [timespec(tv_sec: soon, tv_nsec: 0), timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)]
        #expect(unsafe utimensat(AT_FDCWD, file.path, times, 0) == 0)
        try read(1, in: bench)
        #expect(usedAt(file) == soon)
        try bench.reopen()
        try read(1, in: bench)
        #expect(usedAt(file) < soon)
        #expect(bench.server.requests.count == 1)
    }

    private func usedAt(_ file: URL) -> Int {
        var status = stat()
        return unsafe stat(file.path, &status) == 0 ? status.st_atim.tv_sec : 0
    }

    @Test("What is open, pinned or in flight stays", arguments: ["open", "pinned", "flying"])
    func stays(_ why: String) throws {
        let bench = try bench(limit: 250_000)
        let version = bench.version(1, body)
        try read(1, in: bench)
        switch why {
        case "open": bench.openVersions.withLock { _ = $0.insert(version.id) }
        case "pinned": bench.pinnedVersions.withLock { _ = $0.insert(version.id) }
        default:
            #expect(bench.cache?.evict(version.id) == true)
            var held = ServedContent(body)
            held.stallsAfter = 50_000
            bench.server.serve("/1", held)
            #expect(try bench.read(version, 0..<10_000).file != nil)
        }
        for id in 2...4 { try read(Int64(id), in: bench) }
        #expect(bench.cache?.state(of: version.id) == (why == "flying" ? .partial : .local))
        #expect(holds((why == "flying" ? [4] : [1, 4]), bench))
    }

    @Test("Pins are honoured beyond the limit")
    func pinsBeyond() throws {
        let bench = try bench(limit: 150_000)
        for id in 1...3 {
            bench.pinnedVersions.withLock { _ = $0.insert(VersionID(rawValue: Int64(id))) }
            #expect(try bench.fetch(bench.version(Int64(id), body)).file != nil)
        }
        #expect(holds([1, 2, 3], bench))
        // What isn't pinned is read all the same, and takes no room on disk.
        try read(4, in: bench)
        #expect(holds([1, 2, 3], bench))
        #expect(bench.stagedNames.isEmpty)
    }

    @Test("A book larger than the limit is served, and costs no other its place")
    func largerThanLimit() throws {
        let bench = try bench(limit: 250_000)
        try read(1, in: bench)
        let large = book(400_000)
        bench.server.serve("/large", ServedContent(large))
        let version = bench.version(50, large, url: bench.server.url("/large"))
        expectSame(try bench.read(version).bytes(0..<400_000), large)
        expectSame(try bench.read(version, 390_000..<400_000).bytes(390_000..<400_000), Array(large.suffix(10_000)))
        #expect(holds([1], bench))
        #expect(try bench.fetch(version).error?.symbol == "ENOSPC", "it wouldn't stay")
        #expect(bench.server.requests(for: "/large").count == 1)
        #expect(bench.stagedNames.isEmpty)
    }

    @Test("One that memory can't hold either goes to the disk while it is open, and leaves it first")
    func largerThanMemory() throws {
        let bench = try bench(limit: 250_000, memory: 100_000)
        try read(1, in: bench)
        let large = book(400_000)
        bench.server.serve("/large", ServedContent(large))
        let version = bench.version(50, large, url: bench.server.url("/large"))
        bench.openVersions.withLock { _ = $0.insert(version.id) }
        expectSame(try bench.read(version).bytes(0..<400_000), large)
        #expect(holds([1, 50], bench))
        bench.openVersions.withLock { _ = $0.remove(version.id) }
        try read(2, in: bench)
        #expect(eventually { !bench.localNumbers.contains(50) && bench.localNumbers.contains(2) })
    }

    @Test("What wasn't read for too long goes")
    func age() throws {
        let bench = try bench(limit: .max, age: .seconds(3_600))
        for id in 1...3 { try read(Int64(id), in: bench) }
        bench.pinnedVersions.withLock { _ = $0.insert(VersionID(rawValue: 3)) }
        bench.cache?.shutDown(atMost: .seconds(60))
        for id in [1, 3] as [Int64] {
            let file = try #require(bench.file(of: bench.version(id, body)))
            let record = file.deletingPathExtension().appendingPathExtension("record")
            let old = [timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
            #expect(unsafe utimensat(AT_FDCWD, file.path, old, 0) == 0)
            let text = try String(contentsOf: record, encoding: .utf8)
                .replacing(/mtime \d+/, with: "mtime 1000000000000000")
            try text.write(to: record, atomically: false, encoding: .utf8)
        }
        try bench.reopen()
        #expect(holds([2, 3], bench))
    }

    @Test("A fetch that was left long ago goes before any book")
    func oldStages() throws {
        let large = book(5 << 20)
        let bench = try bench(limit: 5_600_000)
        try read(1, in: bench)
        var broken = ServedContent(large)
        broken.etag = "\"v1\""
        broken.stallsAfter = 3 << 20
        bench.server.serve("/large", broken)
        let version = bench.version(50, large, url: bench.server.url("/large"))
        #expect(try bench.read(version, 0..<10_000).file != nil)
        #expect(eventually { bench.stagedNames.contains("50.part.progress") })
        try bench.reopen(isFirstUse: true)
        #expect(bench.stagedNames.contains("50.part"))
        let old = [timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
        #expect(unsafe utimensat(AT_FDCWD, bench.path + "/stage/50.part", old, 0) == 0)
        try bench.reopen(isFirstUse: true)
        // It counts, so that there is no room for another of its size.
        let other = book(5 << 20, seed: 4)
        bench.server.serve("/other", ServedContent(other))
        bench.pinnedVersions.withLock { _ = $0.insert(VersionID(rawValue: 51)) }
        #expect(try bench.fetch(bench.version(51, other, url: bench.server.url("/other"))).file != nil)
        #expect(holds([1, 51], bench))
        #expect(eventually { bench.stagedNames.isEmpty }, "\(bench.stagedNames)")
    }

    @Test("Usage is right after files were removed behind the cache's back and came again")
    func removedBehind() throws {
        let bench = try bench(limit: .max)
        for id in 1...3 { try read(Int64(id), in: bench) }
        #expect(bench.cache?.usage() == .init(byteCount: 300_000, fileCount: 3))
        try FileManager.default.removeItem(at: bench.directory.appending(path: "content"))
        #expect(bench.cache?.usage() == .init())
        for id in 1...2 { try read(Int64(id), in: bench) }
        #expect(bench.cache?.usage() == .init(byteCount: 200_000, fileCount: 2))
        let file = try #require(bench.file(of: bench.version(1, body)))
        try FileManager.default.removeItem(at: file)
        try read(1, in: bench)
        #expect(bench.cache?.usage() == .init(byteCount: 200_000, fileCount: 2))
    }

    @Test("The limit in bytes counts what is free and what is held")
    func limit() throws {
        let seen = Box()
        let bench = try CacheBench { settings in
            settings.limit = { available in
                seen.asked.withLock { $0 = available }
                return available / 2
            }
        }
        bench.server.serve("/1", ServedContent(body))
        try read(1, in: bench)
        let limit = try #require(bench.cache).limitByteCount
        #expect(limit == seen.asked.withLock { $0 } / 2)
    }

    private final class Box: Sendable {
        let asked = Mutex<Int64>(0)
    }

    @Test("Who opens what was evicted doesn't get what the kernel remembers of it")
    func outdatedPages() throws {
        let bench = try bench(limit: 150_000)
        try read(1, in: bench)
        try read(2, in: bench)
        #expect(holds([2], bench))
        let cache = try #require(bench.cache)
        #expect(!cache.prepareToOpen(VersionID(rawValue: 1), isAlone: true))
        #expect(cache.prepareToOpen(VersionID(rawValue: 1), isAlone: true))
        #expect(cache.prepareToOpen(VersionID(rawValue: 2), isAlone: false))
        // The next process of the mount can't know.
        try bench.reopen()
        #expect(!(bench.cache?.prepareToOpen(VersionID(rawValue: 2), isAlone: true) ?? true))
        #expect(bench.cache?.prepareToOpen(VersionID(rawValue: 2), isAlone: true) ?? false)
        #expect(bench.drops.withLock { $0 } == [], "nobody waits for the kernel")
    }
}
