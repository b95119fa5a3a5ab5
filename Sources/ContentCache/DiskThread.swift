internal import Threads

/// Does what waits for the disk, one thing after another, so that neither readers nor transfers do.
///
/// Lock order: `state` is taken alone; work is done with nothing held.
final class DiskThread: Sendable {
    private struct State {
        var work: [@Sendable () -> Void] = []
        var isStopping = false
        var isOver = false
    }

    private let state: Monitor<State>

    /// Starts the thread.
    ///
    /// - Parameter name: Shown by those who list threads.
    init(name: String) {
        let state = Monitor(State())
        self.state = state
        _ = WorkerThread(name: name) {
            while let work = Self.next(state) { work() }
            state.update { $0.isOver = true }
        }
    }

    deinit {
        state.update { $0.isStopping = true }
    }

    /// Adds work; after ``stop(atMost:)`` it isn't taken.
    ///
    /// - Returns: Whether it is taken.
    @discardableResult
    func run(_ work: @escaping @Sendable () -> Void) -> Bool {
        state.update { state in
            if !state.isStopping { state.work.append(work) }
            return !state.isStopping
        }
    }

    /// Ends the thread after the work that waits.
    func stop(atMost limit: Duration) -> Bool {
        state.update { $0.isStopping = true }
        return state.wait(atMost: limit) { $0.isOver ? true : nil } ?? false
    }

    private static func next(_ state: Monitor<State>) -> (@Sendable () -> Void)? {
        let next = state.wait(atMost: nil) { state -> Next? in
            if !state.work.isEmpty { return .work(state.work.removeFirst()) }
            return state.isStopping ? .end : nil
        }
        guard case .work(let work) = next else { return nil }
        return work
    }

    private enum Next {
        case work(@Sendable () -> Void)
        case end
    }
}
