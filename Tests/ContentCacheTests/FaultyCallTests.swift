import ContentCache
import Foundation
import Shelf
import Synchronization
import TestHarness
import Testing

@Suite("Calls of the system that fail")
struct FaultyCallTests {
    private let body = book(200_000)

    /// A call that fails, by what it does.
    enum Target: CaseIterable, CustomTestStringConvertible {
        case open, create, write, read, synchronise, rename

        var testDescription: String { "\(self)" }

        func fits(_ call: FileCalls.Call) -> Bool {
            switch (self, call) {
            case (.open, .open), (.create, .create), (.write, .write), (.read, .read),
                (.synchronise, .synchronise), (.rename, .rename):
                true
            default: false
            }
        }
    }

    /// Fails the calls of one kind while it is on, from the Nth on, so many of them.
    private final class Saboteur: Sendable {
        struct Plan {
            var target: Target
            var number: Int32

            /// How many calls go through before.
            var skipped = 0

            /// How many fail then.
            var count = Int.max
        }

        private let plan = Mutex<Plan?>(nil)
        let hitCount = Mutex(0)

        func begin(_ new: Plan) {
            plan.withLock { $0 = new }
            hitCount.withLock { $0 = 0 }
        }

        func end() { plan.withLock { $0 = nil } }

        func interfere(_ call: FileCalls.Call) -> FileCalls.Interference? {
            let number = plan.withLock { plan -> Int32? in
                guard var current = plan, current.target.fits(call) else { return nil }
                defer { plan = current }
                if current.skipped > 0 {
                    current.skipped -= 1
                    return nil
                }
                guard current.count > 0 else { return nil }
                current.count -= 1
                return current.number
            }
            guard let number else { return nil }
            hitCount.withLock { $0 += 1 }
            return .fails(number)
        }
    }

    private func bench(_ saboteur: Saboteur, memory: Int64 = 1 << 20) throws -> CacheBench {
        let bench = try CacheBench { settings in
            settings.memoryByteCount = memory
            settings.calls.interfere = { saboteur.interfere($0) }
        }
        for id in 1...9 { bench.server.serve("/\(id)", ServedContent(body)) }
        return bench
    }

    @Test(
        "A failing call gives the right bytes or an error, leaves nothing staged, and the next try is right",
        arguments: [EIO, ENOSPC, EDQUOT, EMFILE], Target.allCases)
    func fails(_ number: Int32, _ target: Target) throws {
        for memory in [0, 1 << 20] as [Int64] {
            for skipped in 0...3 {
                let saboteur = Saboteur()
                let bench = try bench(saboteur, memory: memory)
                // So that there is something to evict, and something that is there.
                expectSame(try bench.read(bench.version(2, body)).bytes(0..<200_000), body)
                saboteur.begin(.init(target: target, number: number, skipped: skipped))
                let version = bench.version(1, body)
                let answer = try bench.read(version)
                let label: Comment = "\(target) fails with \(number) after \(skipped), memory \(memory)"
                #expect(answer.isAnswered || answer.outcome != nil, label)
                if let error = answer.error {
                    let allowed =
                        number == ENOSPC || number == EDQUOT ? ["ENOSPC", "EIO"] : ["EIO"]
                    #expect(allowed.contains(error.symbol), label)
                } else {
                    expectSame(answer.bytes(0..<200_000), body, label)
                }
                // Nor does it cost what was there.
                let there = try bench.read(bench.version(2, body))
                if there.error == nil { expectSame(there.bytes(0..<200_000), body, label) }
                saboteur.end()
                #expect(eventually { !bench.stagedNames.contains { $0.hasSuffix(".part") } }, label)
                bench.clock.advance(by: .seconds(6))
                expectSame(try bench.read(version).bytes(0..<200_000), body, label)
                expectSame(try bench.read(bench.version(2, body)).bytes(0..<200_000), body, label)
                #expect(try bench.fetch(version).file != nil, label)
                #expect(bench.cache?.state(of: version.id) == .local, label)
                #expect(eventually { bench.stagedNames.isEmpty }, "\(bench.stagedNames): \(label)")
            }
        }
    }

    @Test(
        "Where there is no room, books give way once, and what was asked for is on disk", arguments: [ENOSPC, EDQUOT])
    func evictsOnce(_ number: Int32) throws {
        for target in [Target.create, .write, .synchronise, .rename] {
            let saboteur = Saboteur()
            let bench = try bench(saboteur, memory: 0)
            #expect(try bench.read(bench.version(2, body)).file != nil)
            saboteur.begin(.init(target: target, number: number, count: 1))
            let version = bench.version(1, body)
            expectSame(try bench.read(version).bytes(0..<200_000), body, "\(target)")
            #expect(eventually { saboteur.hitCount.withLock { $0 } == 1 })
            #expect(try bench.fetch(version).file != nil, "\(target)")
            #expect(bench.cache?.state(of: version.id) == .local, "\(target)")
            #expect(eventually { bench.stagedNames.isEmpty }, "\(target)")
        }
    }

    @Test("A call that a signal interrupts is made again", arguments: Target.allCases)
    func interrupted(_ target: Target) throws {
        let saboteur = Saboteur()
        let bench = try bench(saboteur)
        saboteur.begin(.init(target: target, number: EINTR, count: 3))
        let version = bench.version(1, body)
        expectSame(try bench.read(version).bytes(0..<200_000), body)
        #expect(bench.cache?.state(of: version.id) == .local)
        try bench.reopen()
        expectSame(try bench.read(version).bytes(0..<200_000), body)
        #expect(bench.server.requests.count == 1)
    }

    @Test("A write that takes only a part is gone on with")
    func shortWrites() throws {
        let bench = try CacheBench { settings in
            settings.calls.interfere = { call in
                if case .write(let byteCount) = call, byteCount > 1_000 { .stops(after: 1_000) } else { nil }
            }
        }
        bench.server.serve("/1", ServedContent(body))
        expectSame(try bench.read(bench.version(1, body)).bytes(0..<200_000), body)
        #expect(bench.cache?.state(of: VersionID(rawValue: 1)) == .local)
    }

    @Test(
        "A disk that is full after so many bytes gives all bytes all the same",
        arguments: [0, 1, 4_096, 100_000, 199_999])
    func fullAfter(_ byteCount: Int) throws {
        let room = Room(byteCount)
        let bench = try CacheBench { settings in
            settings.calls.interfere = { call in
                guard case .write(let wanted) = call else { return nil }
                return room.take(wanted)
            }
        }
        bench.server.serve("/1", ServedContent(body))
        let version = bench.version(1, body)
        #expect(try bench.read(version).error?.symbol == nil)
        expectSame(try bench.read(version).bytes(0..<200_000), body)
        #expect(bench.cache?.state(of: version.id) == .placeholder)
        #expect(eventually { !bench.stagedNames.contains { $0.hasSuffix(".part") } })
    }

    @Test(
        "Readers of a cache that is too small, on a disk that fails now and then, get right bytes or an error",
        arguments: [true, false])
    func underPressure(_ hasHash: Bool) throws {
        let counter = Counter()
        let bench = try CacheBench { settings in
            settings.limit = { _ in 700_000 }
            settings.memoryByteCount = 450_000
            settings.useInterval = .nanoseconds(1)
            settings.failureMemory = .zero
            settings.calls.interfere = { counter.interfere($0) }
        }
        let bodies = (1...6).map { book(200_000, seed: $0) }
        for (index, body) in bodies.enumerated() { bench.server.serve("/\(index + 1)", ServedContent(body)) }
        let versions = bodies.enumerated().map { bench.version(Int64($0.offset + 1), $0.element, hasHash: hasHash) }
        let wrong = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { reader in
            for step in 0..<40 {
                let index = (step * (reader + 3) + reader) % versions.count
                guard let answer = try? bench.read(versions[index]) else { continue }
                if let error = answer.error {
                    if !["ENOSPC", "EIO"].contains(error.symbol) { wrong.withLock { $0.append(error.symbol) } }
                } else if answer.bytes(0..<200_000) != bodies[index] {
                    wrong.withLock { $0.append("wrong bytes of \(index + 1)") }
                }
                if step % 7 == reader { _ = bench.cache?.evict(versions[(index + 1) % versions.count].id) }
            }
        }
        #expect(wrong.withLock { $0 } == [])
        counter.stop()
        for (version, body) in zip(versions, bodies) {
            expectSame(try bench.read(version).bytes(0..<200_000), body)
        }
        #expect(eventually { !bench.stagedNames.contains { $0.hasSuffix(".part") } })
        #expect(eventually { (bench.cache?.usage().byteCount ?? 0) <= 700_000 })
        let counted = bench.localNumbers.count
        #expect(bench.cache?.usage().fileCount == counted)
    }

    /// Fails every thirteenth call, with one number and another.
    private final class Counter: Sendable {
        private let count = Mutex(0)
        private let isStopped = Mutex(false)

        func stop() { isStopped.withLock { $0 = true } }

        func interfere(_ call: FileCalls.Call) -> FileCalls.Interference? {
            if isStopped.withLock({ $0 }) { return nil }
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number % 13 == 0, number > 26 else { return nil }
            return .fails([ENOSPC, EIO, EDQUOT, EMFILE, EINTR][number / 13 % 5])
        }
    }

    /// How much a disk takes.
    private final class Room: Sendable {
        private let rest: Mutex<Int>

        init(_ byteCount: Int) { rest = Mutex(byteCount) }

        func take(_ wanted: Int) -> FileCalls.Interference? {
            rest.withLock { rest in
                let taken = min(rest, wanted)
                rest -= taken
                return taken == 0 ? .fails(ENOSPC) : .stops(after: taken)
            }
        }
    }
}
