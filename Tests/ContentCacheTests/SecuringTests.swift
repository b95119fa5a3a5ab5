import ContentCache
import Foundation
import Shelf
import Synchronization
import TestHarness
import Testing
import Threads

@Suite("Content that is not on the disk yet")
struct SecuringTests {
    private let body = book(200_000)

    /// A disk whose fsync(2) waits, or fails, until it is told otherwise.
    private final class SlowDisk: Sendable {
        private struct State {
            var isHeld = true
            var failure: Int32?
            var count = 0
        }

        private let state: Monitor<State>

        init(isHeld: Bool = true, failure: Int32? = nil) {
            state = Monitor(State(isHeld: isHeld, failure: failure))
        }

        var count: Int { state.update { $0.count } }

        func release() { state.update { $0.isHeld = false } }

        func interfere(_ call: FileCalls.Call) -> FileCalls.Interference? {
            guard call == .synchronise else { return nil }
            state.update { $0.count += 1 }
            _ = state.wait(atMost: .seconds(60)) { $0.isHeld ? nil : true }
            return state.update { $0.failure }.map { .fails($0) }
        }
    }

    private func bench(_ disk: SlowDisk, leftovers: Duration = .seconds(3_600)) throws -> CacheBench {
        try CacheBench { settings in
            settings.leftoverDelay = leftovers
            settings.calls.interfere = { disk.interfere($0) }
        }
    }

    private func record(of version: ContentVersion, in bench: CacheBench) throws -> URL {
        try #require(bench.file(of: version)).deletingPathExtension().appendingPathExtension("record")
    }

    @Test("Readers don't wait for the disk, and what they read is local; who fetches does wait")
    func readersDoNotWait() throws {
        let disk = SlowDisk()
        let bench = try bench(disk)
        defer { disk.release() }
        let version = bench.serve(1, body)
        let fetch = try bench.fetch(version)
        expectSame(try bench.read(version).bytes(0..<200_000), body)
        #expect(eventually { bench.cache?.state(of: version.id) == .local })
        #expect(eventually { disk.count == 1 })
        #expect(bench.cache?.usage().fileCount == 1)
        let late = try bench.fetch(version)
        #expect(!fetch.isAnswered && !late.isAnswered)
        disk.release()
        #expect(fetch.file != nil)
        #expect(late.file != nil)
        #expect(bench.server.requests.count == 1)
    }

    @Test("What was not on the disk when the system went down is fetched again")
    func lostWithTheSystem() throws {
        let disk = SlowDisk()
        let bench = try bench(disk)
        let version = bench.serve(1, body)
        #expect(try bench.read(version).file != nil)
        let record = try record(of: version, in: bench)
        let text = try String(contentsOf: record, encoding: .utf8)
        let start = try #require(text.split(separator: "\n").last { $0.hasPrefix("until-start-after ") })
        disk.release()
        #expect(eventually { (try? String(contentsOf: record, encoding: .utf8))?.contains(start) == false })
        // As a power cut would leave it: the record of before, and a file of the right size with other bytes.
        try text.replacing(start, with: "until-start-after 00000000-0000-0000-0000-000000000000")
            .write(to: record, atomically: true, encoding: .utf8)
        try bench.reopen(isFirstUse: true)
        #expect(bench.cache?.state(of: version.id) == .placeholder)
        // That is no damage.
        #expect(bench.cache?.verify(version.id, as: version) == .absent)
        #expect(bench.localNumbers.isEmpty)
        expectSame(try bench.read(version).bytes(0..<200_000), body)
        #expect(bench.server.requests.count == 2)
        #expect(eventually { bench.cache?.state(of: version.id) == .local })
    }

    @Test("What a killed process has not brought to the disk, the next one does")
    func leftovers() throws {
        let disk = SlowDisk(isHeld: false)
        let bench = try bench(disk, leftovers: .milliseconds(10))
        let version = try bench.bringLocal(1, body)
        let record = try record(of: version, in: bench)
        #expect(eventually { (try? String(contentsOf: record, encoding: .utf8))?.contains("until-start") == false })
        let secured = try String(contentsOf: record, encoding: .utf8)
        let start = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        try (secured + "until-start-after \(start)").write(to: record, atomically: true, encoding: .utf8)
        let count = disk.count
        try bench.reopen()
        #expect(bench.cache?.state(of: version.id) == .local)
        #expect(eventually { (try? String(contentsOf: record, encoding: .utf8)) == secured })
        #expect(disk.count == count + 1)
        #expect(bench.server.requests.count == 1)
    }

    @Test("Who fetches a book whose size is another than declared has it in the end")
    func correctedSize() throws {
        let disk = SlowDisk()
        let bench = try bench(disk)
        bench.server.serve("/1", ServedContent(body))
        let version = bench.version(1, body, byteCount: 123, hasHash: false)
        let fetch = try bench.fetch(version)
        #expect(eventually { disk.count == 1 })
        disk.release()
        expectSame(fetch.bytes(0..<200_000), body)
        #expect(bench.localNumbers == [1])
    }

    @Test("What was not on the disk when the system went down goes by itself")
    func lostLeftovers() throws {
        let bench = try bench(SlowDisk(isHeld: false), leftovers: .milliseconds(10))
        let version = try bench.bringLocal(1, body)
        let record = try record(of: version, in: bench)
        let text = try String(contentsOf: record, encoding: .utf8)
        try (text + "until-start-after 00000000-0000-0000-0000-000000000000\n")
            .write(to: record, atomically: true, encoding: .utf8)
        try bench.reopen(isFirstUse: true)
        #expect(eventually { bench.localNumbers.isEmpty && bench.file(of: version) == nil })
        #expect(eventually { bench.cache?.usage().fileCount == 0 })
    }

    @Test("What the disk doesn't take goes, is said, and is fetched again", arguments: [true, false])
    func failingDisk(_ hasHash: Bool) throws {
        let disk = SlowDisk(failure: EIO)
        let bench = try bench(disk)
        let version = bench.serve(1, body, hasHash: hasHash)
        bench.openVersions.withLock { _ = $0.insert(version.id) }
        expectSame(try bench.read(version).bytes(0..<200_000), body)
        let fetch = try bench.fetch(version)
        disk.release()
        #expect(fetch.error != nil)
        #expect(bench.cache?.state(of: version.id) == .placeholder)
        #expect(bench.cache?.usage().fileCount == 0)
        #expect(eventually { bench.cache?.journal.current.failures.count == 1 })
        // Who has it open and has read of it gets the same bytes, if anybody can tell that they are the same.
        let again = try bench.read(version)
        if hasHash { expectSame(again.bytes(0..<200_000), body) } else { #expect(again.error?.symbol == "EIO") }
    }
}
