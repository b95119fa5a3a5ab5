internal import CSocket
internal import Glibc
package import JSON
package import Log
internal import Synchronization
internal import Threads

/// Does what commands ask: implemented by the driver.
package protocol ControlHandler: Sendable {
    /// Answers one request; called on a thread of its own, several at a time.
    ///
    /// - Parameters:
    ///   - request: What is asked.
    ///   - progress: Tells the command how far it is; called on the same thread, at least every ten seconds while the work
    ///     goes on. A state that the command has no room for is dropped.
    ///   - isAbandoned: Whether the command has gone or the driver ends, so that nobody waits for the answer any more.
    /// - Returns: The answer, as the command prints it with `--json`.
    /// - Throws: ``ControlRefusal`` with the reason.
    func answer(
        _ request: ControlRequest, progress: (ControlProgress) -> Void, isAbandoned: () -> Bool
    ) throws(ControlRefusal) -> JSONValue
}

/// Listens for commands and hands their requests to the driver, each on a thread of its own.
///
/// Commands of other users than this one and root are turned away.
///
/// Lock order: nothing is called while the state or the thread is locked.
/// Invariant: `connectionCount` is the number of threads that serve a command; it never exceeds the limit.
package final class ControlListener: Sendable {
    private struct State {
        var connectionCount = 0
        var isStopping = false
    }

    private let socket: ListeningSocket

    /// Readable once the listener is to stop, because the other end was shut down.
    private let stopSignal: CInt
    private let stopEnd: CInt
    private let handler: any ControlHandler
    private let log: Log
    private let limits: ControlLimits
    private let state = Monitor(State())

    /// Accepts commands; `nil` before ``start()`` and after ``stop(within:)``.
    private let thread = Mutex<WorkerThread?>(nil)

    /// - Throws: ``ControlError/unusable(path:reason:)`` if the system has no descriptor left.
    package init(
        _ socket: consuming ListeningSocket, handler: any ControlHandler, log: Log,
        limits: ControlLimits = ControlLimits()
    ) throws(ControlError) {
        var ends: [CInt] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .unusable(path: "of the driver", reason: reason(ofError: errno))
        }
        (stopSignal, stopEnd) = (ends[0], ends[1])
        self.socket = socket
        self.handler = handler
        self.log = log
        self.limits = limits
    }

    deinit {
        close(stopSignal)
        close(stopEnd)
    }

    /// Begins to listen on a thread of its own, which keeps the listener alive until ``stop(within:)``.
    package func start() {
        thread.withLock { thread in
            thread = WorkerThread(name: "control") { self.acceptUntilStopped() }
        }
    }

    /// Takes no more commands, tells those who answer one that it is abandoned, and waits until they have ended.
    ///
    /// The socket stays open, and new commands wait in its queue, until the listener is released.
    ///
    /// - Parameter limit: How long to wait for answers that are being made.
    /// - Returns: Whether all have ended.
    @discardableResult
    package func stop(within limit: Duration = .seconds(5)) -> Bool {
        state.update { $0.isStopping = true }
        shutdown(stopEnd, CInt(SHUT_WR))
        if let thread = thread.withLock({ $0.take() }) { thread.join() }
        return state.wait(atMost: limit) { $0.connectionCount == 0 ? true : nil } ?? false
    }

    private var isStopping: Bool { state.update { $0.isStopping } }

    // MARK: - On the listening thread

    private func acceptUntilStopped() {
        while !isStopping {
            var states = [
                pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stopSignal, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&states, 2, -1) > 0, states[1].revents == 0 else { continue }
            let descriptor = bookshelf_accept(socket.descriptor)
            if descriptor >= 0 {
                serve(descriptor)
            } else if errno != EAGAIN, errno != EINTR, errno != ECONNABORTED {
                log.warning(
                    "a command can't be accepted", ["reason": .public(reason(ofError: errno))], limitedBy: "accept")
                // Without a descriptor left the next try would fail at once, and the next.
                var stop = pollfd(fd: stopSignal, events: Int16(POLLIN), revents: 0)
                _ = unsafe poll(&stop, 1, 100)
            }
        }
    }

    private func serve(_ descriptor: CInt) {
        let isAdmitted = state.update { state in
            guard state.connectionCount < limits.connectionCount else { return false }
            state.connectionCount += 1
            return true
        }
        guard isAdmitted else {
            let connection = Connection(owning: descriptor, limits: limits)
            let refusal = ControlRefusal(reason: "the driver has too many commands to answer already; try again later")
            try? connection.send(ControlMessage.refusal(refusal).json, within: .zero)
            return
        }
        _ = WorkerThread(name: "control-answer") {
            self.answer(on: Connection(owning: descriptor, limits: self.limits))
            self.state.update { $0.connectionCount -= 1 }
        }
    }

    // MARK: - On the thread of a connection

    private func answer(on connection: consuming Connection) {
        guard isPeerTrusted(connection.descriptor) else {
            log.warning("a command of another user was turned away", limitedBy: "peer")
            return
        }
        let message: ControlMessage
        do throws(ControlError) {
            let json = try connection.receive(within: limits.exchange)
            guard let request = ControlRequest(json) else { throw .notUnderstood }
            message = answer(request, on: connection)
        } catch .ended {
            // It has gone without asking anything: nobody waits for an answer.
            return
        } catch {
            message = .refusal(ControlRefusal(reason: error.reason))
        }
        do throws(ControlError) {
            try connection.send(message.json, within: limits.exchange)
        } catch .tooLong {
            let refusal = ControlRefusal(reason: "the answer is too long; ask for less at once")
            try? connection.send(ControlMessage.refusal(refusal).json, within: limits.exchange)
        } catch {
            log.debug("a command went before its answer", ["reason": .public(error.reason)])
        }
    }

    private func answer(_ request: ControlRequest, on connection: borrowing Connection) -> ControlMessage {
        // A message that was sent in part can't be taken back: after that nothing may follow it.
        var isBroken = false
        do throws(ControlRefusal) {
            let answer = try handler.answer(request) { progress in
                guard !isBroken, connection.hasRoom else { return }
                isBroken =
                    (try? connection.send(ControlMessage.progress(progress).json, within: limits.exchange)) == nil
            } isAbandoned: {
                isBroken || isStopping || connection.isClosedByPeer
            }
            return .answer(answer)
        } catch {
            return .refusal(error)
        }
    }
}
