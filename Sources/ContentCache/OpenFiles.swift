internal import Shelf
internal import Synchronization

/// The files that were read last, kept open, so that reading one again costs no open(2).
///
/// Lock order: `state` is taken alone; nothing is called while it is held.
final class OpenFiles: Sendable {
    /// An object, so that a read looks its version up once.
    private final class Entry {
        let file: CachedFile
        var use: UInt64

        /// Whether the catalog was found to agree with the file, and nobody has asked to look again since.
        var isCurrent = false

        init(_ file: CachedFile, use: UInt64) {
            self.file = file
            self.use = use
        }
    }

    private struct State {
        var entries: [VersionID: Entry] = [:]
        var useCount: UInt64 = 0

        mutating func use(_ version: VersionID) -> Entry? {
            guard let entry = entries[version] else { return nil }
            useCount += 1
            entry.use = useCount
            return entry
        }
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: How many files are kept open; those unused for longest are let go.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    subscript(version: VersionID) -> CachedFile? {
        state.withLock { $0.use(version)?.file }
    }

    func insert(_ file: CachedFile, for version: VersionID) {
        // Closing is left for after the lock.
        let released = state.withLock { state -> [CachedFile] in
            state.useCount += 1
            var released: [CachedFile] = []
            let entry = Entry(file, use: state.useCount)
            if let old = state.entries.updateValue(entry, forKey: version) { released.append(old.file) }
            if state.entries.count > capacity, let oldest = state.entries.min(by: { $0.value.use < $1.value.use }) {
                state.entries[oldest.key] = nil
                released.append(oldest.value.file)
            }
            return released
        }
        _ = consume released
    }

    func remove(_ version: VersionID) {
        let released = state.withLock { $0.entries.removeValue(forKey: version)?.file }
        _ = consume released
    }

    // MARK: - What agrees with the catalog

    /// A file that the catalog need not be asked about.
    func current(_ version: VersionID) -> CachedFile? {
        state.withLock { state in
            guard let entry = state.use(version), entry.isCurrent else { return nil }
            return entry.file
        }
    }

    /// Notes that the catalog agrees with a file, if that is the one that is kept open.
    func noteCurrent(_ version: VersionID, _ file: CachedFile) {
        state.withLock { state in
            if let entry = state.entries[version], entry.file === file { entry.isCurrent = true }
        }
    }

    /// Has the catalog asked about a file before it is read again.
    func recheck(_ version: VersionID) {
        state.withLock { $0.entries[version]?.isCurrent = false }
    }

    func recheckAll() {
        state.withLock { state in
            for entry in state.entries.values { entry.isCurrent = false }
        }
    }
}
