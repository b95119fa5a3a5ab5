package import Shelf
internal import Synchronization

/// The contents that turned out shorter than the kernel had been told, while reads were on their way.
///
/// The kernel takes an answer that ends early for the end of the file, unless it was told anything about the file's size since it
/// asked; then it would fill the rest with zeros, and whoever reads at that moment gets them. So whatever was asked before the kernel
/// had forgotten the size, and reaches the end, is refused, whoever asks: what the kernel read ahead it asks for again. What is
/// asked from then on is answered. Which is which the driver knows by when it got the question: between the two it waits until
/// no question of before can be on its way any more.
///
/// Kernel: `fuse_short_read`, `fuse_read_update_size`.
///
/// Lock order: `state` is a leaf.
package final class ShrunkSizes: Sendable {
    private struct State {
        /// By content, the turn from which on questions are answered.
        var firstTurns: [VersionID: UInt64] = [:]

        /// Those of which the kernel was told already.
        var told: Set<VersionID> = []
    }

    private let state = Mutex(State())

    /// Which turn it is; a new one begins whenever a content may be read to its end.
    private let turn = Atomic<UInt64>(0)

    /// How many contents there are, for those who pass by often.
    private let count = Atomic<Int>(0)

    /// More contents than that don't shrink while somebody reads them; the oldest questions were answered long ago.
    private static var maximumCount: Int { 4_096 }

    package init() {}

    /// Notes a content, before the kernel is told to forget its size; nobody reads its end before ``release(_:)``.
    package func note(_ version: VersionID) {
        state.withLock { state in
            if state.firstTurns.count >= Self.maximumCount { state = State() }
            state.firstTurns[version] = .max
            state.told.insert(version)
            count.store(state.firstTurns.count, ordering: .releasing)
        }
    }

    /// Lets the end of a content be read by those who ask from now on: no question from before is on its way any more.
    package func release(_ version: VersionID) {
        state.withLock { state in
            state.firstTurns[version] = turn.add(1, ordering: .acquiringAndReleasing).newValue
        }
    }

    /// The turn in which a question is put; to be asked for as soon as the driver has it.
    var currentTurn: UInt64 { turn.load(ordering: .acquiring) }

    /// Whether the kernel need not be told again that the attributes of a content have changed; once for each ``note(_:)``.
    package func takeTold(_ version: VersionID) -> Bool {
        state.withLock { $0.told.remove(version) != nil }
    }

    /// Whether a read must be asked for again.
    ///
    /// - Parameters:
    ///   - version: What is read.
    ///   - range: What the kernel asks for, in bytes, for its own memory.
    ///   - byteCount: Of the content.
    ///   - turn: In which it was asked.
    /// - Returns: Whether it was asked too early, or lies behind the end: the kernel would take its beginning for the end.
    func refuses(
        _ version: VersionID, _ range: Range<Int64>, of byteCount: Int64, askedIn turn: UInt64
    ) -> Bool {
        guard range.upperBound > byteCount, count.load(ordering: .acquiring) > 0 else { return false }
        return state.withLock { state in
            guard let first = state.firstTurns[version] else { return false }
            return turn < first || range.lowerBound > byteCount
        }
    }
}
