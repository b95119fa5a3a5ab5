internal import Glibc

/// How a process of the driver tells the one that started it that it is ready, or why it can't be.
///
/// One line through a pipe: `ready`, or the reason. A pipe that ends without a line means that the process has died.
enum ReadySignal {
    /// What is waited for.
    enum Outcome: Equatable {
        case ready
        case failed(String)
        case died
        case timedOut
    }

    /// Says that this process is ready, or why it isn't.
    ///
    /// - Parameters:
    ///   - reason: `nil` if it is ready.
    ///   - descriptor: The writing end; closed, unless it has more to say.
    ///   - isLast: Whether it hasn't.
    static func send(_ reason: String?, to descriptor: Int32, isLast: Bool = true) {
        let line = (reason ?? "ready").split(separator: "\n").joined(separator: " ") + "\n"
        let bytes = Array(line.utf8)
        _ = unsafe write(descriptor, bytes, bytes.count)
        if isLast { close(descriptor) }
    }

    /// Waits for the line.
    ///
    /// - Parameters:
    ///   - descriptor: The reading end; stays open.
    ///   - limit: How long at most.
    /// - Returns: What the line said, or why there was none.
    static func wait(on descriptor: Int32, atMost limit: Duration) -> Outcome {
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        var line: [UInt8] = []
        while clock.now < deadline {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&polled, 1, 100) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = unsafe read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .died }
            line += bytes[..<count]
            guard let end = line.firstIndex(of: UInt8(ascii: "\n")) else { continue }
            let text = String(decoding: line[..<end], as: UTF8.self)
            return text == "ready" ? .ready : .failed(text)
        }
        return .timedOut
    }
}
