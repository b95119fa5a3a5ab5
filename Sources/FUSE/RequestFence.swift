internal import Synchronization

/// Tells when every request that was being answered at some moment has been answered.
///
/// Whoever tells the kernel that something changed must wait for the answers that were read before the change and not
/// sent yet: one that reached the kernel afterwards would be believed for long.
///
/// Each serving thread has a slot that is odd while it answers. Parked requests aren't being answered.
final class RequestFence: Sendable {
    private let slots: [Slot]

    private final class Slot: Sendable {
        let turns = Atomic<UInt64>(0)
    }

    /// - Parameter count: How many threads serve.
    init(count: Int) {
        slots = (0..<count).map { _ in Slot() }
    }

    /// Runs `body`, which answers or parks one request, on the serving thread of number `index`.
    func answering(on index: Int, _ body: () -> Void) {
        slots[index].turns.add(1, ordering: .sequentiallyConsistent)
        body()
        slots[index].turns.add(1, ordering: .sequentiallyConsistent)
    }

    /// Returns once all that was being answered at the call has been answered.
    ///
    /// Not to be called on a serving thread. No serving thread waits for anything, so this is over in microseconds;
    /// between two looks it sleeps.
    ///
    /// - Parameter pause: Sleeps a moment.
    func wait(_ pause: () -> Void) {
        for slot in slots {
            let turn = slot.turns.load(ordering: .sequentiallyConsistent)
            guard !turn.isMultiple(of: 2) else { continue }
            while slot.turns.load(ordering: .sequentiallyConsistent) == turn { pause() }
        }
    }
}
