package import Shelf
internal import Synchronization

/// The superseded versions whose last handle has gone, for whoever tidies up behind them.
///
/// Lock order: its mutex is a leaf; `wake` is called without it.
package final class ReleaseQueue: Sendable {
    private struct State {
        /// Superseded versions that somebody held open when last looked at.
        var awaited: Set<VersionID> = []
    }

    private let state = Mutex(State())
    private let wake: @Sendable () -> Void

    /// - Parameter wake: Called when an awaited version was closed; it must not wait itself.
    package init(wake: @escaping @Sendable () -> Void) {
        self.wake = wake
    }

    /// Asks to be woken when one of these versions is closed for the last time.
    package func await(_ versions: Set<VersionID>) {
        state.withLock { $0.awaited = versions }
    }

    func noteClosed(_ version: VersionID) {
        if state.withLock({ $0.awaited.contains(version) }) { wake() }
    }
}
