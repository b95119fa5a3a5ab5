internal import Threads

/// Calls closures when their time has come, on one thread of its own.
///
/// Lock order: `state` is taken alone; closures are called with nothing held.
final class DeadlineTimer: Sendable {
    private struct State {
        var deadlines: [UInt64: (at: SuspendingClock.Instant, action: @Sendable () -> Void)] = [:]
        var isStopping = false
        var isOver = false
    }

    private let state: Monitor<State>

    /// Starts the thread.
    init() {
        let state = Monitor(State())
        self.state = state
        _ = WorkerThread(name: "read-deadlines") {
            Self.run(state)
            state.update { $0.isOver = true }
        }
    }

    deinit {
        state.update { $0.isStopping = true }
    }

    /// Ends the thread; closures whose time has not come are never called.
    func stop(atMost limit: Duration) -> Bool {
        state.update { $0.isStopping = true }
        return state.wait(atMost: limit) { $0.isOver ? true : nil } ?? false
    }

    /// Calls `action` after `delay`, unless ``clear(_:)`` comes first.
    func set(_ id: UInt64, after delay: Duration, _ action: @escaping @Sendable () -> Void) {
        let at = SuspendingClock().now + delay
        state.update { $0.deadlines[id] = (at, action) }
    }

    func clear(_ id: UInt64) {
        // Nobody waits for a deadline less, but the closure is let go of outside the lock.
        let released = state.update { $0.deadlines.removeValue(forKey: id)?.action }
        _ = consume released
    }

    private enum News {
        case due([@Sendable () -> Void])
        case earlier
        case stop
    }

    private static func run(_ state: Monitor<State>) {
        let clock = SuspendingClock()
        while true {
            let next = state.update { $0.deadlines.values.map(\.at).min() }
            let limit = next.map { clock.now.duration(to: $0) }
            let news = state.wait(atMost: limit) { state -> News? in
                if state.isStopping { return .stop }
                let now = clock.now
                let due = state.deadlines.filter { $0.value.at <= now }
                if !due.isEmpty {
                    for id in due.keys { state.deadlines[id] = nil }
                    return .due(due.values.map(\.action))
                }
                let earliest = state.deadlines.values.map(\.at).min()
                guard let earliest else { return nil }
                return next.map { earliest < $0 } ?? true ? .earlier : nil
            }
            switch news {
            case .stop: return
            case .due(let actions):
                for action in actions { action() }
            case .earlier, nil: break
            }
        }
    }
}
