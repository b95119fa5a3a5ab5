import ContentCache
import Foundation
import Shelf
import Synchronization
import TestHarness
import Testing

@Suite("A disk without room", .enabled(if: SmallDisk.isPossible))
struct FullDiskTests {
    private let body = book(200_000)

    /// A cache on a disk of that size.
    private func withBench(
        kibibytes: Int, memory: Int64 = 1 << 20, _ check: (CacheBench, SmallDisk) throws -> Void
    ) throws {
        let disk = try SmallDisk(kibibytes: kibibytes)
        defer { disk.remove() }
        let bench = try CacheBench(in: disk.directory) { settings in
            settings.memoryByteCount = memory
            settings.useInterval = .nanoseconds(1)
        }
        for id in 1...9 { bench.server.serve("/\(id)", ServedContent(body)) }
        try check(bench, disk)
        bench.cache?.shutDown(atMost: .seconds(60))
    }

    /// Fills the disk up.
    private func fill(_ disk: SmallDisk) throws -> URL {
        let filler = disk.directory.appending(path: "filler")
        _ = FileManager.default.createFile(atPath: filler.path, contents: nil)
        let handle = try FileHandle(forWritingTo: filler)
        while (try? handle.write(contentsOf: Data(count: 4_096))) != nil {}
        return filler
    }

    @Test("Older books make room for the one that is read")
    func evicts() throws {
        try withBench(kibibytes: 700) { (bench, _) throws in
            for id in 1...4 { expectSame(try bench.read(bench.version(Int64(id), body)).bytes(0..<200_000), body) }
            #expect(bench.localNumbers == [2, 3, 4])
            #expect(bench.stagedNames.isEmpty)
        }
    }

    @Test("What doesn't fit is read from memory, with one request, and nothing stays on disk")
    func streams() throws {
        try withBench(kibibytes: 700) { (bench, disk) throws in
            bench.pinnedVersions.withLock { _ = $0.insert(VersionID(rawValue: 1)) }
            #expect(try bench.read(bench.version(1, body)).file != nil)
            let filler = try fill(disk)
            for hasHash in [true, false] {
                let version = bench.version(hasHash ? 2 : 3, body, hasHash: hasHash)
                expectSame(try bench.read(version, 0..<50_000).bytes(0..<50_000), Array(body[0..<50_000]))
                expectSame(try bench.read(version).bytes(0..<200_000), body)
                #expect(try bench.read(version, 199_000..<200_000).file?.isWhole == true)
                #expect(bench.cache?.state(of: version.id) == .placeholder)
            }
            #expect(bench.server.requests.count == 3)
            #expect(bench.stagedNames.filter { $0.hasSuffix(".part") || $0.hasSuffix(".record") } == [])
            #expect(bench.localNumbers == [1], "what is pinned stays")

            // What is to be on disk can't be, and says so.
            let error = try bench.fetch(bench.version(2, body)).error
            #expect(error?.symbol == "ENOSPC")
            #expect(error?.advice.contains("cache.max-size") == true)

            try FileManager.default.removeItem(at: filler)
            #expect(try bench.fetch(bench.version(2, body)).file != nil)
            #expect(bench.cache?.state(of: VersionID(rawValue: 2)) == .local)
            #expect(bench.stagedNames.filter { !$0.hasSuffix(".given") } == [])
        }
    }

    @Test("A book that fits nowhere is refused, and read once there is room")
    func fitsNowhere() throws {
        try withBench(kibibytes: 700, memory: 100_000) { (bench, disk) throws in
            let filler = try fill(disk)
            let version = bench.version(1, body)
            #expect(try bench.read(version).error?.symbol == "ENOSPC")
            #expect(bench.stagedNames.isEmpty)
            #expect(bench.cache?.journal.current.failures.last?.error.symbol == "ENOSPC")
            try FileManager.default.removeItem(at: filler)
            expectSame(try bench.read(version).bytes(0..<200_000), body)
            #expect(bench.cache?.state(of: version.id) == .local)
        }
    }

    @Test("Memory holds a few books: what was read longest ago goes, what is open last")
    func memoryIsBounded() throws {
        try withBench(kibibytes: 300, memory: 450_000) { (bench, disk) throws in
            _ = try fill(disk)
            bench.openVersions.withLock { _ = $0.insert(VersionID(rawValue: 1)) }
            for id in [1, 2, 3, 1, 2] as [Int64] {
                expectSame(try bench.read(bench.version(id, body)).bytes(0..<200_000), body)
            }
            #expect(bench.server.requests.map(\.path) == ["/1", "/2", "/3", "/2"])
        }
    }

    @Test("A disk that fills up in the middle of a book costs its reader nothing", arguments: [true, false])
    func fillsUpInTheMiddle(_ hasHash: Bool) throws {
        try withBench(kibibytes: 8_000, memory: 8 << 20) { (bench, disk) throws in
            let large = book(5 << 20)
            var content = ServedContent(large)
            content.etag = "\"v1\""
            content.stallsAfter = 2 << 20
            bench.server.serve("/large", content)
            let version = bench.version(50, large, hasHash: hasHash, url: bench.server.url("/large"))
            let early = try bench.read(version, 0..<100_000)
            expectSame(early.bytes(0..<100_000), Array(large[0..<100_000]))
            _ = try fill(disk)
            bench.server.release("/large")
            expectSame(try bench.read(version, 0..<Int64(large.count)).bytes(0..<Int64(large.count)), large)
            #expect(bench.stagedNames.filter { $0.hasSuffix(".part") } == [])
        }
    }
}
