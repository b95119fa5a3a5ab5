internal import CFuse3
internal import Glibc
internal import Synchronization

/// A read that waits for its answer without occupying a thread.
///
/// Answered once, from any thread; whatever comes later is ignored. Let go of without an answer it answers EIO, except
/// where the process is leaving: then the read is left to the next worker.
///
/// Lock order: `ParkedReads.table`, then `state`; neither is held while libfuse is called.
@safe package final class ParkedRead: Sendable {
    /// Unchecked, because libfuse lets any thread answer, and the mutex lets one take the request.
    @safe private struct State: @unchecked Sendable {
        /// `nil` once answered.
        var request: fuse_req_t?

        /// Whether libfuse may be inside `fuse_req_interrupt_func`, holding the lock of the request: no answer may be
        /// given there, since it frees the request with its lock.
        var isBeingRegistered = true
        var isInterrupted = false
    }

    /// Keeps libfuse's session alive until the answer.
    private let session: Session
    private let state: Mutex<State>
    private let byteCount: Int
    private let onInterrupt: @Sendable () -> Void

    /// - Parameters:
    ///   - request: Not answered, and owned by this from now on.
    ///   - byteCount: What the kernel asks for; an answer with more is cut.
    ///   - session: Of the request.
    ///   - onInterrupt: Told when EINTR was answered.
    @unsafe init(
        of request: fuse_req_t?, byteCount: Int, in session: Session, onInterrupt: @escaping @Sendable () -> Void
    ) {
        self.session = session
        self.byteCount = byteCount
        state = unsafe Mutex(State(request: request))
        self.onInterrupt = onInterrupt
        let token = session.parkedReads.insert(self)
        // By number, not by address: libfuse may still call with what was registered after the answer was given.
        unsafe fuse_req_interrupt_func(
            request,
            { request, token in
                unsafe Session.of(request).parkedReads.read(UInt(bitPattern: token))?.didInterrupt()
            },
            UnsafeMutableRawPointer(bitPattern: token))
        let isInterrupted = state.withLock { state in
            state.isBeingRegistered = false
            return state.isInterrupted
        }
        if isInterrupted { didInterrupt() }
    }

    deinit {
        session.parkedReads.forget(ObjectIdentifier(self))
        if session.isLeaving.load(ordering: .relaxed) { return }
        fail(with: .inputOutput)
    }

    /// Answers with bytes of an open file, without copying them; EIO if the file has fewer.
    ///
    /// - Returns: Whether this was the answer.
    @discardableResult
    package func answer(_ range: FileRange) -> Bool {
        guard let request = unsafe take() else { return false }
        _ = unsafe range.prefix(byteCount).send(to: request)
        return true
    }

    /// Answers with a copy of bytes in memory.
    ///
    /// - Returns: Whether this was the answer.
    @discardableResult
    package func answer(copying bytes: Span<UInt8>) -> Bool {
        guard let request = unsafe take() else { return false }
        unsafe send(copying: bytes.extracting(first: byteCount), to: request)
        return true
    }

    /// Answers with an error number.
    ///
    /// - Returns: Whether this was the answer.
    @discardableResult
    package func fail(with error: Errno) -> Bool {
        guard let request = unsafe take() else { return false }
        _ = unsafe error.send(to: request)
        return true
    }

    /// Whether nobody has answered yet.
    package var isPending: Bool {
        state.withLock { unsafe $0.request != nil }
    }

    /// Whoever gets the request answers it.
    @unsafe private func take() -> fuse_req_t? {
        unsafe state.withLock { state in
            unsafe state.request.take()
        }
    }

    /// Answers EINTR, unless somebody was first.
    private func didInterrupt() {
        let mayAnswer = state.withLock { state in
            state.isInterrupted = true
            return !state.isBeingRegistered
        }
        if mayAnswer, fail(with: .interrupted) { onInterrupt() }
    }
}

/// The parked reads of a session by number, so that an interrupt that comes late finds nothing instead of freed memory.
final class ParkedReads: Sendable {
    private struct WeakRead {
        weak var read: ParkedRead?
    }

    private struct State {
        var reads: [UInt: WeakRead] = [:]
        var tokens: [ObjectIdentifier: UInt] = [:]
        var lastToken: UInt = 0
    }

    /// Invariant: `tokens` has the number of every read in `reads`.
    private let table = Mutex(State())

    /// - Returns: A number that no other read of the session ever has.
    func insert(_ read: ParkedRead) -> UInt {
        table.withLock { table in
            table.lastToken += 1
            table.reads[table.lastToken] = WeakRead(read: read)
            table.tokens[ObjectIdentifier(read)] = table.lastToken
            return table.lastToken
        }
    }

    func read(_ token: UInt) -> ParkedRead? {
        table.withLock { $0.reads[token]?.read }
    }

    func forget(_ identifier: ObjectIdentifier) {
        table.withLock { table in
            if let token = table.tokens.removeValue(forKey: identifier) { table.reads[token] = nil }
        }
    }
}
