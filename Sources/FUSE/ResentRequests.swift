/// What a server does with requests that the kernel sends again, because whoever had read them died.
package enum ResentRequests: Sendable, Hashable {
    /// They are answered like all others.
    case answered

    /// These are answered EIO, by their numbers without ``mark``: one after the other, they have crashed whoever worked on them.
    case refused([UInt64])

    /// All are answered EIO: one of them crashes whoever works on it, and nobody knows which.
    case allRefused

    /// What the kernel puts on the number of a request that it sends again.
    ///
    /// Kernel: `FUSE_UNIQUE_RESEND`.
    package static var mark: UInt64 { 1 << 63 }

    /// Whether a request is answered EIO.
    func refuses(_ header: RequestHeader) -> Bool {
        guard header.unique & Self.mark != 0, header.operation != RequestHeader.interrupt else { return false }
        switch self {
        case .answered: return false
        case .refused(let numbers): return numbers.contains(header.unique & ~Self.mark)
        case .allRefused: return true
        }
    }
}

/// What stands at the beginning of every request.
///
/// Kernel: `struct fuse_in_header`.
struct RequestHeader: Sendable, Hashable {
    /// Of an operation that nobody answers.
    ///
    /// Kernel: `FUSE_INTERRUPT`.
    static var interrupt: UInt32 { 36 }

    let operation: UInt32
    let unique: UInt64
}
