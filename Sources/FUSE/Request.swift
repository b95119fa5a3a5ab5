internal import CFuse3
internal import Glibc
internal import Synchronization

/// A request of the kernel, which must be answered exactly once.
///
/// The compiler sees to "at most once": every answering method consumes the request. The deinitialiser sees to "at
/// least once": an unanswered request would keep the calling program in the kernel.
@safe struct Request: ~Copyable {
    /// libfuse never delivers `NULL`; what it calls with this would do nothing good, so nobody unwraps it.
    private let handle: fuse_req_t?

    /// - Parameter handle: A request that libfuse has just delivered and nobody has answered.
    @unsafe init(_ handle: fuse_req_t?) {
        unsafe self.handle = handle
    }

    deinit {
        if session.isLeaving.load(ordering: .relaxed) { return }
        _ = unsafe Errno.inputOutput.send(to: handle)
    }

    /// The session that the request came through.
    var session: Session { unsafe Session.of(handle) }

    var caller: Caller { unsafe Caller(of: handle) }

    /// Runs `body` and answers with what it returns, or with the error number it throws.
    ///
    /// - Returns: Whether the kernel took a success: it doesn't when the request was given up meanwhile, or handed to
    ///   the worker that took over.
    @discardableResult
    consuming func answer<Answer: Reply>(
        _ body: (_ fileSystem: any FileSystemOperations, _ caller: Caller) throws(Errno) -> Answer
    ) -> Bool {
        do throws(Errno) {
            guard let fileSystem = session.fileSystem else { throw .inputOutput }
            return send(try body(fileSystem, caller))
        } catch {
            refuse(with: error)
            return false
        }
    }

    /// Answers with success.
    ///
    /// - Returns: Whether the kernel took it.
    @discardableResult
    consuming func send(_ answer: some Reply) -> Bool {
        let handle = unsafe detach()
        return unsafe answer.send(to: handle) == 0
    }

    /// Answers with an error number.
    consuming func refuse(with error: Errno) {
        let handle = unsafe detach()
        _ = unsafe error.send(to: handle)
    }

    /// Answers nothing, as FORGET requires.
    consuming func answerNothing() {
        let handle = unsafe detach()
        unsafe fuse_reply_none(handle)
    }

    /// Gives up ownership: the caller answers.
    @unsafe consuming func detach() -> fuse_req_t? {
        let handle = unsafe handle
        discard self
        return unsafe handle
    }
}
