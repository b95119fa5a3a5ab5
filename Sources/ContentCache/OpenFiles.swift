internal import Shelf
internal import Synchronization

/// The files that were read last, kept open, so that reading one again costs no open(2).
///
/// Lock order: `state` is taken alone; nothing is called while it is held.
final class OpenFiles: Sendable {
    private struct State {
        var files: [VersionID: (file: CachedFile, use: UInt64)] = [:]
        var useCount: UInt64 = 0
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: How many files are kept open; those unused for longest are let go.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    subscript(version: VersionID) -> CachedFile? {
        state.withLock { state in
            state.useCount += 1
            state.files[version]?.use = state.useCount
            return state.files[version]?.file
        }
    }

    func insert(_ file: CachedFile, for version: VersionID) {
        // Closing is left for after the lock.
        let released = state.withLock { state -> [CachedFile] in
            state.useCount += 1
            var released: [CachedFile] = []
            if let old = state.files.updateValue((file, state.useCount), forKey: version) { released.append(old.file) }
            if state.files.count > capacity, let oldest = state.files.min(by: { $0.value.use < $1.value.use }) {
                state.files[oldest.key] = nil
                released.append(oldest.value.file)
            }
            return released
        }
        _ = consume released
    }

    func remove(_ version: VersionID) {
        let released = state.withLock { $0.files.removeValue(forKey: version) }
        _ = consume released
    }
}
