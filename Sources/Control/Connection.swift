internal import Glibc
internal import JSON

/// One end of a connection: messages as lines of JSON, each way.
///
/// Nothing waits longer than its deadline. It closes with the value.
struct Connection: ~Copyable {
    let descriptor: CInt
    private let messageByteCount: Int

    /// What arrived and isn't a whole line yet.
    private var received: [UInt8] = []

    /// Takes over a descriptor that never makes its thread wait.
    init(owning descriptor: CInt, limits: ControlLimits) {
        self.descriptor = descriptor
        messageByteCount = limits.messageByteCount
    }

    deinit {
        close(descriptor)
    }

    /// Sends a message.
    ///
    /// - Throws: ``ControlError/tooLong``, ``ControlError/silent`` if the other end doesn't take it in time, or
    ///   ``ControlError/ended`` if it has gone.
    func send(_ json: JSONValue, within limit: Duration) throws(ControlError) {
        var line = json.encoded()
        line.append(UInt8(ascii: "\n"))
        guard line.count <= messageByteCount else { throw .tooLong }
        let deadline = ContinuousClock.now + limit
        var offset = 0
        while offset < line.count {
            let result = unsafe line.withUnsafeBytes { buffer in
                unsafe Glibc.send(
                    descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset,
                    CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            if result > 0 {
                offset += result
            } else if result < 0, errno == EAGAIN {
                guard wait(for: POLLOUT, until: deadline) else { throw .silent }
            } else if result < 0, errno != EINTR {
                throw .ended
            }
        }
    }

    /// Whether a message can be sent without waiting, more or less.
    var hasRoom: Bool { wait(for: POLLOUT, until: .now) }

    /// Takes the next message.
    ///
    /// - Throws: ``ControlError/ended``, ``ControlError/silent``, ``ControlError/tooLong`` or
    ///   ``ControlError/notUnderstood``.
    mutating func receive(within limit: Duration) throws(ControlError) -> JSONValue {
        let deadline = ContinuousClock.now + limit
        var searchedCount = 0
        while true {
            if let end = received[searchedCount...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(received[..<end])
                received.removeFirst(end + 1)
                guard let json = try? JSONValue(parsing: line, byteLimit: messageByteCount) else {
                    throw .notUnderstood
                }
                return json
            }
            searchedCount = received.count
            guard received.count < messageByteCount else { throw .tooLong }
            try fill(until: deadline)
        }
    }

    /// Whether the other end has closed the connection.
    var isClosedByPeer: Bool {
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        return unsafe poll(&state, 1, 0) == 1 && CInt(state.revents) & (POLLHUP | POLLERR) != 0
    }

    private mutating func fill(until deadline: ContinuousClock.Instant) throws(ControlError) {
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let result = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe recv(descriptor, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
            }
            if result > 0 { return received.append(contentsOf: chunk.prefix(result)) }
            if result == 0 { throw .ended }
            if errno == EAGAIN {
                guard wait(for: POLLIN, until: deadline) else { throw .silent }
            } else if errno != EINTR {
                throw .ended
            }
        }
    }

    /// Waits until the socket is ready, or has failed; `false` if the deadline passed first.
    private func wait(for events: CInt, until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let (seconds, attoseconds) = (deadline - .now).components
            let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
            var state = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let result = unsafe poll(&state, 1, CInt(clamping: max(0, milliseconds + (milliseconds > 0 ? 1 : 0))))
            if result > 0 { return true }
            if result == 0, deadline <= .now { return false }
            if result < 0, errno != EINTR { return true }
        }
    }
}
