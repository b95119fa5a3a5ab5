internal import Glibc
package import JSON

/// Asks the driver of a profile.
package struct ControlClient: Sendable {
    private let path: String
    private let limits: ControlLimits

    /// - Parameters:
    ///   - path: Of the profile's socket.
    ///   - limits: What to put up with.
    package init(path: String, limits: ControlLimits = ControlLimits()) {
        self.path = path
        self.limits = limits
    }

    /// Sends a request and waits for its answer; blocks the calling thread.
    ///
    /// A driver that ends before it has answered is asked once more: its successor takes over the socket. A request to stop
    /// isn't repeated.
    ///
    /// - Parameters:
    ///   - request: What is asked.
    ///   - silence: How long the driver may say nothing at all.
    ///   - progress: Called on this thread with each state that the driver tells.
    /// - Returns: The answer.
    /// - Throws: ``ControlError``; ``ControlError/noDriver`` if there is none, ``ControlError/refused(_:)`` if it won't.
    package func send(
        _ request: ControlRequest, silence: Duration = .seconds(60), progress: (ControlProgress) -> Void = { _ in }
    ) throws(ControlError) -> JSONValue {
        do throws(ControlError) {
            return try sendOnce(request, silence: silence, progress: progress)
        } catch .ended where request != .stop {
            return try sendOnce(request, silence: silence, progress: progress)
        }
    }

    private func sendOnce(
        _ request: ControlRequest, silence: Duration, progress: (ControlProgress) -> Void
    ) throws(ControlError) -> JSONValue {
        var connection = try connect()
        do throws(ControlError) {
            try connection.send(request.json, within: limits.exchange)
        } catch .ended {
            // A driver with too much to do refuses before it has read: what it said is still there.
        }
        while true {
            guard let message = ControlMessage(try connection.receive(within: silence)) else { throw .notUnderstood }
            switch message {
            case .progress(let state): progress(state)
            case .answer(let answer): return answer
            case .refusal(let refusal): throw .refused(refusal)
            }
        }
    }

    private func connect() throws(ControlError) -> Connection {
        let address = try SocketAddress(path: path)
        let deadline = ContinuousClock.now + limits.exchange
        while true {
            let connection = Connection(owning: try makeSocket(for: path), limits: limits)
            let result = unsafe address.pass { unsafe Glibc.connect(connection.descriptor, $0, $1) }
            switch result {
            case 0:
                guard isPeerTrusted(connection.descriptor) else { throw .untrusted(path: path) }
                return connection
            case ENOENT, ENOTDIR, ECONNREFUSED: throw .noDriver
            case EAGAIN, EINTR:
                // The queue is full.
                guard ContinuousClock.now < deadline else { throw .silent }
                usleep(10_000)
            default: throw .unusable(path: path, reason: reason(ofError: result))
            }
        }
    }
}
