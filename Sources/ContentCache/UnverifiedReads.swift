internal import Shelf
internal import Synchronization

/// The contents of which somebody has read bytes that aren't verified yet.
///
/// Written down in the cache directory before the first of them is given out, so that a process that takes over from a dead one
/// knows: it may go on only with the very bytes that are staged.
///
/// Lock order: `state` is taken alone; marks are written while it is held.
final class UnverifiedReads: Sendable {
    private struct State {
        var given: Set<VersionID> = []

        /// Those of which the rest can't be had any more.
        var spoiled: Set<VersionID> = []
    }

    private let state: Mutex<State>
    private let directory: CacheDirectory

    /// - Parameters:
    ///   - directory: Of the cache.
    ///   - isFirstUse: Whether nobody can have read anything yet, whatever is marked.
    init(in directory: CacheDirectory, isFirstUse: Bool) {
        self.directory = directory
        let marked = directory.markedVersions()
        if isFirstUse {
            for version in marked { directory.unmark(version) }
        }
        state = Mutex(State(given: isFirstUse ? [] : Set(marked)))
    }

    func isKnown(_ version: VersionID) -> Bool {
        state.withLock { $0.given.contains(version) }
    }

    func isSpoiled(_ version: VersionID) -> Bool {
        state.withLock { $0.spoiled.contains(version) }
    }

    /// Notes that somebody is about to get bytes of a content.
    func note(_ version: VersionID) {
        state.withLock { state in
            guard state.given.insert(version).inserted else { return }
            directory.mark(version)
        }
    }

    /// Notes that nothing may be added to what somebody has got.
    func spoil(_ version: VersionID) {
        state.withLock { state in
            if state.given.contains(version) { state.spoiled.insert(version) }
        }
    }

    /// Notes that all that was given out is right, or that nobody has it any more.
    func forget(_ version: VersionID) {
        state.withLock { state in
            state.spoiled.remove(version)
            guard state.given.remove(version) != nil else { return }
            directory.unmark(version)
        }
    }
}
