package import Shelf
internal import Synchronization

/// The versions whose last handle has gone, for whoever tidies up behind them.
///
/// Lock order: its mutex is a leaf; `wake` is called without it.
package final class ReleaseQueue: Sendable {
    private let versions = Mutex<Set<VersionID>>([])
    private let wake: @Sendable () -> Void

    /// - Parameter wake: Called when something waits; it must not wait itself.
    package init(wake: @escaping @Sendable () -> Void) {
        self.wake = wake
    }

    func append(_ version: VersionID) {
        let isFirst = versions.withLock { versions in
            versions.insert(version)
            return versions.count == 1
        }
        if isFirst { wake() }
    }

    func takeAll() -> Set<VersionID> {
        versions.withLock { versions in
            defer { versions = [] }
            return versions
        }
    }
}
