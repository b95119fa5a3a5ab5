internal import Shelf
internal import Synchronization

/// The contents of which the kernel may remember bytes that aren't on disk any more.
///
/// Whoever opens one of them reads it anew: without a hash nobody can tell whether what is fetched next are the same bytes. The kernel is
/// not made to drop the pages before: it would wait for whoever reads one, and a worker that is killed while it waits can't die.
///
/// Lock order: `state` is taken alone; nothing is called while it is held.
final class OutdatedPages: Sendable {
    private struct State {
        var versions: Set<VersionID> = []

        /// Those that were opened here, where nobody knows what was outdated before.
        var opened: Set<VersionID> = []
    }

    private let state = Mutex(State())
    private let knowsAll: Bool
    private let count = Atomic<Int>(0)

    /// - Parameter knowsAll: Whether nothing can be outdated yet; otherwise everything may be until it was opened once.
    init(knowsAll: Bool) {
        self.knowsAll = knowsAll
    }

    func insert(_ version: VersionID) {
        if state.withLock({ $0.versions.insert(version).inserted }) { count.add(1, ordering: .sequentiallyConsistent) }
    }

    /// Takes a content out, which somebody opens.
    ///
    /// - Parameters:
    ///   - version: Which one.
    ///   - isAlone: Whether nobody else has it open; what somebody has open doesn't become outdated.
    /// - Returns: Whether its pages may be outdated.
    func remove(_ version: VersionID, isAlone: Bool) -> Bool {
        guard !knowsAll || count.load(ordering: .sequentiallyConsistent) > 0 else { return false }
        let (isRemoved, isUnknown) = state.withLock { state in
            (state.versions.remove(version) != nil, !knowsAll && isAlone && state.opened.insert(version).inserted)
        }
        if isRemoved { count.subtract(1, ordering: .sequentiallyConsistent) }
        return isRemoved || isUnknown
    }
}
