internal import Shelf
internal import Synchronization

/// The contents of which somebody has read bytes that aren't verified yet.
///
/// Which bytes there were to be read is written down in the cache directory before the first of them is given out, so that a
/// process that takes over from one that was killed goes on with the very bytes that are staged. Only processes of one mount do so: what
/// they find in the file is what was written to it, whether or not it has reached the disk.
///
/// Lock order: `state` is taken alone; marks are written while it is held.
final class UnverifiedReads: Sendable {
    private struct State {
        /// What was written down last.
        var given: [VersionID: ByteRanges] = [:]

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
        var state = State()
        for version in directory.markedVersions() {
            // A mark that isn't whole was never followed by an answer.
            if !isFirstUse, directory.givenRecord(of: version) != nil {
                state.given[version] = ByteRanges()
            } else {
                directory.unmark(version)
            }
        }
        self.state = Mutex(state)
    }

    func isKnown(_ version: VersionID) -> Bool {
        state.withLock { $0.given[version] != nil }
    }

    func isSpoiled(_ version: VersionID) -> Bool {
        state.withLock { $0.spoiled.contains(version) }
    }

    /// Notes that somebody is about to get bytes of what has come.
    func note(_ version: VersionID, _ content: ArrivingContent) {
        state.withLock { state in
            guard state.given[version] != content.arrived else { return }
            state.given[version] = content.arrived
            directory.mark(version, GivenRecord(content))
        }
    }

    /// Notes that nothing may be added to what somebody has got.
    func spoil(_ version: VersionID) {
        state.withLock { state in
            if state.given[version] != nil { state.spoiled.insert(version) }
        }
    }

    /// Notes that what somebody has got is wrong, whether or not it was verified once.
    func condemn(_ version: VersionID) {
        noteUnvouched(version)
        state.withLock { _ = $0.spoiled.insert(version) }
    }

    /// Notes that somebody has got bytes that were verified, and that nobody can tell any more what they were.
    func noteUnvouched(_ version: VersionID) {
        state.withLock { state in
            state.given[version] = ByteRanges()
            directory.mark(version, GivenRecord.nothing)
        }
    }

    /// Notes that all that was given out is right, or that nobody has it any more.
    func forget(_ version: VersionID) {
        state.withLock { state in
            state.spoiled.remove(version)
            guard state.given.removeValue(forKey: version) != nil else { return }
            directory.unmark(version)
        }
    }
}
