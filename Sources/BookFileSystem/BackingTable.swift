internal import FUSE
package import SharedMemory
internal import Shelf

/// Which versions the kernel reads by itself and by which numbers, in memory that outlives the worker.
///
/// Written by one process at a time, which lets one thread at a time write. Whoever is killed leaves an entry that is whole, or none: the
/// word that says whose it is comes last and goes first.
package final class BackingTable: Sendable {
    /// What is known of a version.
    struct Entry: Hashable {
        let id: BackingID

        /// Of the file in the cache.
        let fileInode: UInt64
    }

    private static let capacity = 4_096
    private static let buckets = Buckets(capacity: capacity, size: 64)
    private static let headerSize = 8
    private static let entrySize = 4

    /// For ``SharedRegion/init(wordCount:)``.
    package static let wordCount = headerSize + capacity * entrySize

    private let region: SharedRegion

    /// - Parameter region: Of ``wordCount`` words, zeros or what another process wrote.
    package init(in region: SharedRegion) {
        precondition(region.wordCount == Self.wordCount, "memory of another size")
        self.region = region
    }

    /// Whether nothing new may be entered for the life of the mount.
    var isClosed: Bool { region.load(0) != 0 }

    func close() { region.store(1, at: 0) }

    subscript(version: VersionID) -> Entry? {
        guard let start = place(of: version, key: UInt64(version.rawValue)) else { return nil }
        return Entry(
            id: BackingID(rawValue: Int32(truncatingIfNeeded: region.load(start + 1))),
            fileInode: region.load(start + 2))
    }

    /// - Returns: Whether there was room.
    func insert(_ entry: Entry, for version: VersionID) -> Bool {
        guard version.rawValue > 0, let start = place(of: version, key: 0) else { return false }
        region.store(UInt64(entry.id.rawValue), at: start + 1)
        region.store(entry.fileInode, at: start + 2)
        region.store(UInt64(version.rawValue), at: start)
        return true
    }

    func remove(_ version: VersionID) {
        guard let start = place(of: version, key: UInt64(version.rawValue)) else { return }
        region.store(0, at: start)
    }

    /// The first word of an entry of the version's bucket whose key this is.
    private func place(of version: VersionID, key: UInt64) -> Int? {
        Self.buckets.entries(for: UInt64(version.rawValue)).lazy.map { Self.headerSize + $0 * Self.entrySize }
            .first { region.load($0) == key }
    }
}
