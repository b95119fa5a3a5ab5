import Testing
import Threads

@Suite("Work ahead", .timeLimit(.minutes(20)))
struct WorkAheadTests {
    @Test("What is made comes back in order, a batch later, and nothing twice")
    func order() {
        var work = WorkAhead<Int, Int>(name: "doubling") { $0 * 2 }
        #expect(work.handOver([1, 2]) == [])
        #expect(work.handOver([3]) == [2, 4])
        #expect(work.handOver([]) == [6])
        #expect(work.takeProducts() == [])
        #expect(work.takeProducts() == [])
        #expect(work.handOver([4]) == [])
        #expect(work.takeProducts() == [8])
    }

    @Test("Dropped with a batch in the making, it ends its thread")
    func dropped() {
        let alive = Monitor(true)
        do {
            let end = End(alive)
            var work = WorkAhead<Int, Int>(name: "dropped") { [end] number in
                _ = end
                return number
            }
            _ = work.handOver([1])
        }
        // The closure goes with the thread.
        #expect(alive.wait(atMost: .seconds(30)) { $0 ? nil : true } == true)
    }
}

/// Tells when nobody has it any more.
private final class End: Sendable {
    private let alive: Monitor<Bool>

    init(_ alive: Monitor<Bool>) {
        self.alive = alive
    }

    deinit {
        alive.update { $0 = false }
    }
}
