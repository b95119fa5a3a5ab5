internal import Glibc

/// An open file, closed with its owner.
struct Descriptor: ~Copyable {
    let number: CInt

    /// Opens a file; it isn't inherited by other programs.
    ///
    /// - Parameters:
    ///   - path: Of the file.
    ///   - flags: As open(2) takes them.
    ///   - mode: For a file that is made.
    /// - Throws: The number that open(2) gives.
    init(opening path: String, _ flags: CInt, mode: mode_t = 0o600) throws(SystemError) {
        var number: CInt
        repeat { number = unsafe open(path, flags | O_CLOEXEC, mode) } while number < 0 && errno == EINTR
        guard number >= 0 else { throw SystemError.current }
        self.number = number
    }

    /// Opens a file to read it, unless its name is a link.
    ///
    /// - Throws: The number that open(2) gives.
    init(openingForReading path: String) throws(SystemError) {
        try self.init(opening: path, O_RDONLY | O_NOFOLLOW)
    }

    /// Takes over a descriptor that is open.
    init(owning number: CInt) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Writes all of the bytes.
    ///
    /// - Parameters:
    ///   - bytes: What is written.
    ///   - offset: Where, in bytes from the start of the file.
    /// - Throws: What pwrite(2) gives; some of the bytes may have been written then.
    borrowing func write(_ bytes: Span<UInt8>, at offset: Int64) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe pwrite(
                    number, buffer.baseAddress.map { unsafe $0 + written }, buffer.count - written,
                    Int(offset) + written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError.current }
            written += count
        }
    }

    /// Reads a range, piece by piece.
    ///
    /// - Throws: What pread(2) gives; EIO if the file ends before the range.
    borrowing func forEachPiece(of range: Range<Int64>, _ body: (Span<UInt8>) -> Void) throws(SystemError) {
        var buffer = [UInt8](repeating: 0, count: Int(min(Int64(range.count), 256 << 10)))
        var position = range.lowerBound
        while position < range.upperBound {
            let wanted = Int(min(Int64(buffer.count), range.upperBound - position))
            let count = unsafe pread(number, &buffer, wanted, Int(position))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError.current }
            guard count > 0 else { throw SystemError(number: EIO) }
            body(buffer.span.extracting(0..<count))
            position += Int64(count)
        }
    }

    /// Opens the same file once more, to read it, whatever its name is by now.
    ///
    /// - Throws: What open(2) gives.
    borrowing func reopenedForReading() throws(SystemError) -> Descriptor {
        try Descriptor(opening: "/proc/self/fd/\(number)", O_RDONLY)
    }

    /// Waits until what was written is on the disk.
    ///
    /// - Throws: What fsync(2) gives, a full disk among it.
    borrowing func synchronise() throws(SystemError) {
        guard fsync(number) == 0 else { throw SystemError.current }
    }

    /// Gives the descriptor away, to be closed by whoever takes it.
    consuming func release() -> CInt {
        let number = self.number
        discard self
        return number
    }
}

/// The number that a failed call of the system left behind: errno(3).
struct SystemError: Error, Equatable {
    let number: CInt

    /// Of the last call of this thread that failed.
    static var current: SystemError { SystemError(number: errno) }

    /// What it means, in words.
    var words: String { unsafe String(cString: strerror(number)) }

    /// Whether there is no room left, or none for this user.
    var isForLackOfRoom: Bool { number == ENOSPC || number == EDQUOT }
}
