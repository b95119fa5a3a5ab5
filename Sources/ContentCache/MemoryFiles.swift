internal import Glibc
internal import SharedMemory
internal import Shelf
internal import Synchronization

/// Contents in memory, for which the disk has no room: a few, so that what is read now can be read.
///
/// Invariant: `byteCount` is the sum of all reservations, and never above the capacity; a file that is kept has a reservation.
///
/// Lock order: `state` is taken alone; nothing is called while it is held.
final class MemoryFiles: Sendable {
    private struct Entry {
        var byteCount: Int64

        /// There once it is whole and verified.
        var file: CachedFile?

        /// Whether the same bytes can be had again for certain.
        var isVouched = false
        var use: UInt64 = 0
    }

    private struct State {
        var entries: [VersionID: Entry] = [:]
        var byteCount: Int64 = 0
        var useCount: UInt64 = 0
    }

    private let capacity: Int64
    private let state = Mutex(State())

    /// How many whole files there are, for those who pass by often.
    private let fileCount = Atomic<Int>(0)

    /// - Parameter capacity: Of all together, in bytes.
    init(capacity: Int64) {
        self.capacity = capacity
    }

    /// A whole file, if it is here.
    subscript(version: VersionID) -> CachedFile? {
        guard fileCount.load(ordering: .acquiring) > 0 else { return nil }
        return state.withLock { state in
            guard let file = state.entries[version]?.file else { return nil }
            state.useCount += 1
            state.entries[version]?.use = state.useCount
            return file
        }
    }

    /// Makes room for a content, or for more of it, at the cost of whole files that were read longest ago.
    ///
    /// - Parameters:
    ///   - version: Whose content it is.
    ///   - byteCount: Of the whole.
    ///   - isOpen: Whether somebody has a content open; such go last.
    /// - Returns: Which went for it; `nil` if there is no room, and all stays as it was.
    func reserve(_ version: VersionID, _ byteCount: Int64, isOpen: (VersionID) -> Bool) -> [VersionID]? {
        guard byteCount <= capacity else { return nil }
        let open = Set(state.withLock { $0.entries.keys.map { $0 } }.filter(isOpen))
        let (victims, released) = state.withLock { state -> ([VersionID]?, [CachedFile]) in
            let missing = byteCount - (state.entries[version]?.byteCount ?? 0)
            guard missing > 0 else { return ([], []) }
            var toFree = state.byteCount + missing - capacity
            var victims: [VersionID] = []
            let kept = state.entries.filter { key, entry in
                entry.file != nil && key != version && (entry.isVouched || !open.contains(key))
            }
            for (key, entry) in kept.sorted(by: { Self.goesBefore($0, $1, open) }) where toFree > 0 {
                victims.append(key)
                toFree -= entry.byteCount
            }
            guard toFree <= 0 else { return (nil, []) }
            let released = victims.compactMap { Self.remove($0, from: &state) }
            state.byteCount += missing
            var entry = state.entries[version] ?? Entry(byteCount: 0)
            entry.byteCount = byteCount
            state.entries[version] = entry
            return (victims, released)
        }
        fileCount.subtract(released.count, ordering: .acquiringAndReleasing)
        return victims
    }

    /// Keeps a file that is whole, in the place that was reserved for it.
    ///
    /// - Parameters:
    ///   - file: In memory.
    ///   - version: Whose content it is.
    ///   - isVouched: Whether the same bytes can be had again for certain.
    func keep(_ file: CachedFile, for version: VersionID, isVouched: Bool) {
        let isNew = state.withLock { state in
            guard var entry = state.entries[version] else { return false }
            let isNew = entry.file == nil
            state.useCount += 1
            entry.file = file
            entry.use = state.useCount
            entry.isVouched = isVouched
            state.entries[version] = entry
            return isNew
        }
        if isNew { fileCount.add(1, ordering: .acquiringAndReleasing) }
    }

    /// Lets go of a content; who reads it reads on.
    func remove(_ version: VersionID) {
        let released = state.withLock { Self.remove(version, from: &$0) }
        if released != nil { fileCount.subtract(1, ordering: .acquiringAndReleasing) }
    }

    /// Lets go of a content that didn't become whole.
    func cancel(_ version: VersionID) {
        state.withLock { state in
            if state.entries[version]?.file == nil { _ = Self.remove(version, from: &state) }
        }
    }

    /// Makes an empty file.
    ///
    /// - Throws: What memfd_create(2) gives.
    func makeFile() throws(SystemError) -> Descriptor {
        do throws(SharedMemoryError) {
            return Descriptor(owning: try MemoryFile.open())
        } catch {
            guard case .callFailed(_, let number) = error else { throw SystemError(number: EIO) }
            throw SystemError(number: number)
        }
    }

    private static func remove(_ version: VersionID, from state: inout State) -> CachedFile? {
        guard let entry = state.entries.removeValue(forKey: version) else { return nil }
        state.byteCount -= entry.byteCount
        return entry.file
    }

    private static func goesBefore(
        _ left: (key: VersionID, value: Entry), _ right: (key: VersionID, value: Entry), _ open: Set<VersionID>
    ) -> Bool {
        let isLeftOpen = open.contains(left.key)
        return isLeftOpen != open.contains(right.key) ? !isLeftOpen : left.value.use < right.value.use
    }
}
