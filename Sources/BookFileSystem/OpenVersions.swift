package import SharedMemory
package import Shelf

/// How many handles each version has, in memory that outlives the worker.
///
/// A worker that is killed between two steps leaves a count too high, never too low: the worst is that content stays on
/// disk until the mount ends.
package final class OpenVersions: Sendable {
    private let counts: SharedCounts

    /// - Parameter counts: The same for all processes of a mount.
    package init(_ counts: SharedCounts) {
        self.counts = counts
    }

    /// Whether any program holds the version open.
    package func isOpen(_ version: VersionID) -> Bool {
        counts.count(of: UInt64(version.rawValue)) > 0
    }

    /// - Returns: How many handles there are now; 0 where they can't be counted.
    func open(_ version: VersionID) -> Int {
        // A table that is full can't count: such a version is as good as closed, and its open descriptor reads on.
        (try? counts.increment(UInt64(version.rawValue))) ?? 0
    }

    /// - Returns: How many handles are left.
    func close(_ version: VersionID) -> Int {
        counts.decrement(UInt64(version.rawValue))
    }
}
