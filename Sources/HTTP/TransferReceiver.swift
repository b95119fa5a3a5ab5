/// Takes what a transfer brings.
///
/// Called from the thread of the loop, one call at a time, and never while a lock is held; it may start and cancel
/// transfers. It holds up every other transfer of the loop while it works, so it does little.
package protocol TransferReceiver: AnyObject, Sendable {
    /// Takes the head of the final response: of a 2xx status, 304, or what the request accepts besides.
    func didReceive(_ head: ResponseHead) -> TransferDecision

    /// Takes the next bytes of the body.
    func didReceive(_ bytes: Span<UInt8>) -> TransferDecision

    /// Takes note that an attempt failed before anything was handed out, and that another will follow.
    func willRetry(after error: HTTPError)

    /// Takes the end, exactly once; the receiver is let go afterwards.
    func didFinish(_ outcome: Result<Void, HTTPError>)
}

extension TransferReceiver {
    package func willRetry(after error: HTTPError) {}
}

/// Whether a transfer goes on.
package enum TransferDecision: Sendable {
    case goOn

    /// Ends it with ``HTTPError/cancelled``.
    case stop
}
