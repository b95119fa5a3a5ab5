internal import Glibc

/// Writes lines to a descriptor that somebody else owns, such as standard error.
///
/// A terminal that is stopped or a pipe that nobody empties would keep the writer waiting, and with it a reader of books:
/// a line that doesn't fit at once is lost instead. Who uses it for a pipe ignores SIGPIPE.
package struct DescriptorSink: LogSink {
    private let descriptor: CInt

    /// - Parameter descriptor: Stays open for as long as the sink is used.
    package init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    /// Standard error.
    package static var standardError: DescriptorSink { DescriptorSink(descriptor: STDERR_FILENO) }

    package func write(_ line: [UInt8]) {
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&state, 1, 0) == 1, state.revents & Int16(POLLOUT) != 0,
            state.revents & Int16(POLLERR | POLLHUP) == 0
        else { return }
        _ = unsafe line.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}
