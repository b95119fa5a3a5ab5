internal import Glibc

/// Lines of text on their way to a terminal, a file or a pipe.
///
/// Used by one thread. Lines are collected where nobody watches, and written at once on a terminal.
package final class TextOutput {
    private let descriptor: CInt
    private var pending: [UInt8] = []

    /// Whether anything was given to it, written or not.
    package private(set) var isBegun = false

    /// Whether somebody watches.
    package let isTerminal: Bool

    /// - Parameter descriptor: Stays open for as long as the output is used.
    package init(descriptor: CInt) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
    }

    package static var standardOutput: TextOutput { TextOutput(descriptor: STDOUT_FILENO) }
    package static var standardError: TextOutput { TextOutput(descriptor: STDERR_FILENO) }

    /// The columns of the terminal now, or `nil` where there is none.
    package var columnCount: Int? {
        guard isTerminal else { return nil }
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Writes a line; whatever it holds, it stays one line and moves nothing.
    ///
    /// - Throws: ``OutputError`` if it, or a line before it, can't be written.
    package func line(_ text: String) throws(OutputError) {
        try write(text.safe + "\n")
    }

    /// Writes a line of fields with a tab between them; whatever they hold, they stay as many.
    ///
    /// - Throws: ``OutputError`` if it, or a line before it, can't be written.
    package func line(fields: [String]) throws(OutputError) {
        try write(fields.map(\.safe).joined(separator: "\t") + "\n")
    }

    /// Writes text as it is: only what the program itself has made, or what was made safe.
    ///
    /// - Throws: ``OutputError`` if it, or what was collected before it, can't be written.
    package func write(_ text: String) throws(OutputError) {
        isBegun = true
        pending += text.utf8
        if isTerminal || pending.count >= 1 << 16 { try flush() }
    }

    /// Writes what was collected.
    ///
    /// - Throws: ``OutputError``; what couldn't be written is given up.
    package func flush() throws(OutputError) {
        defer { pending.removeAll(keepingCapacity: true) }
        var offset = 0
        while offset < pending.count {
            let result = unsafe pending.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
            }
            if result > 0 {
                offset += result
            } else if errno == EAGAIN {
                var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&state, 1, -1)
            } else if errno != EINTR {
                throw OutputError(errorNumber: errno)
            }
        }
    }
}

/// Why text can't be written: the disk is full, the reader has gone.
package struct OutputError: Error, Equatable, Sendable {
    /// By errno(3).
    package let errorNumber: Int32

    package init(errorNumber: Int32) {
        self.errorNumber = errorNumber
    }

    /// What happened, in one line.
    package var reason: String {
        "can't write the output: \(unsafe String(cString: strerror(errorNumber)))"
    }
}
