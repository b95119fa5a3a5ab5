internal import Glibc

/// A question to whoever sits before standard input, or a line of it where nobody does.
package struct TerminalQuestion {
    private let words: String
    private let isSecret: Bool

    private static var maximumByteCount: Int { 16 << 10 }

    /// - Parameters:
    ///   - words: Shown on standard error, where somebody sits.
    ///   - isSecret: Whether what is typed stays unseen.
    package init(_ words: String, isSecret: Bool) {
        self.words = words
        self.isSecret = isSecret
    }

    /// The next line, without its end.
    ///
    /// It is read byte by byte, so that what follows is left for the next question.
    ///
    /// - Returns: `nil` when there is none, or the person gave it up.
    package func answer() -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return line() }
        write(words)
        guard isSecret else { return line() }
        var former = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &former) == 0 else { return nil }
        var silent = former
        // Without signals as well: one that ended the program here would leave a terminal that shows nothing.
        silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        guard unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0 else { return nil }
        defer {
            unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &former)
            write("\n")
        }
        return line(isEdited: true)
    }

    /// - Parameter isEdited: Whether the keys of a terminal are ours to obey.
    /// - Returns: `nil` when there is none, or the person gave it up.
    private func line(isEdited: Bool = false) -> String? {
        var bytes: [UInt8] = []
        while bytes.count < Self.maximumByteCount {
            var byte: UInt8 = 0
            let count = unsafe read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self) }
            switch byte {
            case 0x0A,
                0x0D where isEdited:
                return String(validating: bytes, as: UTF8.self)
            // Ctrl-C, Ctrl-D, Ctrl-\
            case 0x03 where isEdited, 0x1C where isEdited: return nil
            case 0x04 where isEdited: return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
            // Backspace takes a whole letter, Ctrl-U all.
            case 0x08 where isEdited, 0x7F where isEdited:
                while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
            case 0x15 where isEdited: bytes.removeAll()
            default: bytes.append(byte)
            }
        }
        return nil
    }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
