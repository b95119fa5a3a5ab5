internal import Shelf
internal import Synchronization

/// The contents of which the kernel may remember bytes that aren't on disk any more.
///
/// Whoever opens one of them reads it anew: without a hash nobody can tell whether what is fetched next are the same bytes.
///
/// Lock order: `versions` is taken alone; nothing is called while it is held.
final class OutdatedPages: Sendable {
    private let versions = Mutex<Set<VersionID>>([])
    private let count = Atomic<Int>(0)

    func insert(_ version: VersionID) {
        if versions.withLock({ $0.insert(version).inserted }) { count.add(1, ordering: .sequentiallyConsistent) }
    }

    /// - Returns: Whether it was there.
    @discardableResult
    func remove(_ version: VersionID) -> Bool {
        guard count.load(ordering: .sequentiallyConsistent) > 0 else { return false }
        let isRemoved = versions.withLock { $0.remove(version) != nil }
        if isRemoved { count.subtract(1, ordering: .sequentiallyConsistent) }
        return isRemoved
    }
}
