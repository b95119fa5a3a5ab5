import Shelf
import Testing

@Suite("Pace of syncs")
struct SyncPaceTests {
    private let pace = SyncPace(interval: .seconds(900))

    @Test("Two syncs lie an interval apart, a tenth more or less")
    func jitter() {
        // A fraction of a duration isn't exact.
        let seconds = [-7.0, -1, 0, 1, 7].map { pace.delay(chance: $0) / .seconds(1) }.map { Int($0.rounded()) }
        #expect(seconds == [810, 810, 900, 990, 990])
        let delays = (0..<1_000).map { _ in pace.delay(chance: .random(in: -1...1)) }
        #expect(delays.allSatisfy { $0 > .seconds(809) && $0 < .seconds(991) })
        #expect(Set(delays).count > 900)
    }

    @Test("A source that fails is asked half as often each time, until it is once an hour")
    func backOff() {
        let pauses = [0, 1, 2, 3, 4, 5, 1_000, .max].map(pace.pause(afterFailures:))
        #expect(pauses == [0, 900, 1_800, 3_600, 3_600, 3_600, 3_600, 3_600].map { .seconds($0) })
        let often = SyncPace(interval: .seconds(1))
        #expect([1, 2, 3, 4, 5, 9].map(often.pause(afterFailures:)) == [1, 2, 4, 8, 8, 8].map { .seconds($0) })
        let seldom = SyncPace(interval: .seconds(86_400))
        #expect([1, 2, 3].map(seldom.pause(afterFailures:)) == [86_400, 86_400, 86_400].map { .seconds($0) })
    }

    @Test("Whatever the chances, each sync that is due is made at the interval nearest to it")
    func due() {
        for chance in [-1.0, 0, 1] {
            let step = pace.delay(chance: chance)
            for (failures, intervals) in [(1, 1), (2, 2), (3, 4)] {
                let first = (1...8).first { pace.isDue(failures: failures, elapsed: step * $0) }
                #expect(first == intervals, "after \(failures) failures, intervals of \(step)")
            }
        }
        #expect(pace.isDue(failures: 0, elapsed: .zero))
        #expect(pace.isDue(failures: 9, elapsed: .seconds(-1)))
        #expect(!pace.isDue(failures: 9, elapsed: .zero))
    }
}
