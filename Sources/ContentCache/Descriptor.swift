internal import Glibc

/// An open file, closed with its owner.
struct Descriptor: ~Copyable {
    private(set) var number: CInt
    private let calls: FileCalls

    /// Opens a file; it isn't inherited by other programs.
    ///
    /// - Parameters:
    ///   - path: Of the file.
    ///   - flags: As open(2) takes them.
    ///   - mode: For a file that is made.
    ///   - calls: By which it is used.
    /// - Throws: The number that open(2) gives.
    init(
        opening path: String, _ flags: CInt, mode: mode_t = 0o600, by calls: FileCalls = FileCalls()
    ) throws(SystemError) {
        let number = try calls.make(flags & O_CREAT == 0 ? .open : .create) { _ in
            unsafe Int(open(path, flags | O_CLOEXEC, mode))
        }
        self.number = CInt(number)
        self.calls = calls
    }

    /// Opens a file to read it, unless its name is a link.
    ///
    /// - Throws: The number that open(2) gives.
    init(openingForReading path: String, by calls: FileCalls = FileCalls()) throws(SystemError) {
        try self.init(opening: path, O_RDONLY | O_NOFOLLOW, by: calls)
    }

    /// Opens a file to look at it, which is no use of it: its time of access stays.
    ///
    /// - Throws: The number that open(2) gives.
    init(openingForInspection path: String, by calls: FileCalls = FileCalls()) throws(SystemError) {
        // O_NOATIME of <fcntl.h>, which Swift's module of the C library is built without.
        try self.init(opening: path, O_RDONLY | O_NOFOLLOW | 0o1_000_000, by: calls)
    }

    /// Takes over a descriptor that is open.
    init(owning number: CInt, by calls: FileCalls = FileCalls()) {
        self.number = number
        self.calls = calls
    }

    deinit {
        if number >= 0 { close(number) }
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
            let rest = bytes.count - written
            let count = try calls.make(.write(byteCount: rest), byteCount: rest) { allowed in
                unsafe bytes.withUnsafeBytes { buffer in
                    unsafe pwrite(
                        number, buffer.baseAddress.map { unsafe $0 + written }, allowed, Int(offset) + written)
                }
            }
            guard count > 0 else { throw SystemError(number: EIO) }
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
            let count = try calls.make(.read, byteCount: wanted) { allowed in
                unsafe pread(number, &buffer, allowed, Int(position))
            }
            guard count > 0 else { throw SystemError(number: EIO) }
            body(buffer.span.extracting(0..<count))
            position += Int64(count)
        }
    }

    /// Opens the same file once more, to read it, whatever its name is by now.
    ///
    /// - Throws: What open(2) gives.
    borrowing func reopenedForReading() throws(SystemError) -> Descriptor {
        try Descriptor(opening: "/proc/self/fd/\(number)", O_RDONLY, by: calls)
    }

    /// Waits until what was written is on the disk.
    ///
    /// - Throws: What fsync(2) gives, a full disk among it.
    borrowing func synchronise() throws(SystemError) {
        _ = try calls.make(.synchronise) { _ in Int(fsync(number)) }
    }

    /// Gives the descriptor away, to be closed by whoever takes it.
    consuming func release() -> CInt {
        let given = number
        number = -1
        return given
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
