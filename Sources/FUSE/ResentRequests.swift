internal import Synchronization

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

    /// Whether a request is among those that are answered EIO.
    func refuse(_ header: RequestHeader) -> Bool {
        guard header.unique & Self.mark != 0, header.operation != RequestHeader.interrupt else { return false }
        switch self {
        case .answered: return false
        case .refused(let numbers): return numbers.contains(header.unique & ~Self.mark)
        case .allRefused: return true
        }
    }
}

/// Which requests a server refuses.
///
/// The kernel answers a read that failed by reading the one page that it needs, with a request that isn't marked. That one is
/// refused as well: it would crash its server as the first did, and the reader is to learn of it now.
///
/// Lock order: `nodes` is a leaf.
final class Refusals: Sendable {
    /// How long reads of a file are refused after one was.
    private static var memory: Duration { .seconds(1) }

    private let resent: ResentRequests

    /// Until when the reads of a file are refused.
    private let nodes = Mutex<[UInt64: SuspendingClock.Instant]>([:])

    init(of resent: ResentRequests) {
        self.resent = resent
    }

    func refuses(_ header: RequestHeader) -> Bool {
        // What every server does but the one after the third crash.
        if resent == .answered { return false }
        let now = SuspendingClock().now
        if resent.refuse(header) {
            if header.operation == RequestHeader.read { nodes.withLock { $0[header.node] = now + Self.memory } }
            return true
        }
        guard header.operation == RequestHeader.read else { return false }
        return nodes.withLock { nodes in
            guard let end = nodes[header.node] else { return false }
            if end > now { return true }
            nodes[header.node] = nil
            return false
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

    /// Kernel: `FUSE_READ`.
    static var read: UInt32 { 15 }

    let operation: UInt32
    let unique: UInt64

    /// Of the file.
    let node: UInt64
}
