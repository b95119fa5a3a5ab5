internal import Threads

extension TransferSession {
    /// Makes one transfer and returns when it has ended, as ``perform(_:isCancelled:onHead:onBody:)`` does, after asking
    /// whom to be; and once more with a new token when the server refuses the old one.
    ///
    /// - Parameters:
    ///   - request: Its credentials and pinned keys are the authority's to say.
    ///   - authority: Says whom to be.
    ///   - isCancelled: Asked several times a second; `true` ends the transfer.
    ///   - onHead: Takes the head.
    ///   - onBody: Takes the next bytes of the body.
    /// - Throws: What ended it.
    package func perform(
        _ request: TransferRequest, by authority: any TransferAuthority, isCancelled: () -> Bool = { false },
        onHead: (ResponseHead) -> TransferDecision, onBody: (Span<UInt8>) -> TransferDecision
    ) throws(HTTPError) {
        var refused: Authorisation?
        while true {
            let authorisation = try authority.wait(for: request, refused: refused)
            var authorised = request
            authorised.apply(authorisation)
            do throws(HTTPError) {
                return try perform(authorised, isCancelled: isCancelled, onHead: onHead, onBody: onBody)
            } catch {
                switch error {
                case .status(401, _) where refused == nil && authorisation.mayBeRenewed: refused = authorisation
                case .status(403, _):
                    authority.noteForbidden(request.url, of: request.group)
                    throw error
                default: throw error
                }
            }
        }
    }
}

extension TransferLoop {
    /// Makes one transfer on the calling thread, as ``TransferSession/perform(_:by:isCancelled:onHead:onBody:)`` does.
    ///
    /// - Throws: What ended it.
    package func perform(
        _ request: TransferRequest, by authority: any TransferAuthority,
        onHead: (ResponseHead) -> TransferDecision, onBody: (Span<UInt8>) -> TransferDecision
    ) throws(HTTPError) {
        try session().perform(request, by: authority, onHead: onHead, onBody: onBody)
    }
}

extension TransferAuthority {
    /// Longer than an authority takes by its own bounds.
    private static var patience: Duration { .seconds(180) }

    /// - Throws: Why nobody can be said.
    fileprivate func wait(for request: TransferRequest, refused: Authorisation?) throws(HTTPError) -> Authorisation {
        let answer = Monitor<Result<Authorisation, HTTPError>?>(nil)
        authorise(request.url, of: request.group, refused: refused) { result in answer.update { $0 = result } }
        guard let result = answer.wait(atMost: Self.patience, for: { $0 }) else {
            throw .timedOut(reason: "\(URLReference.place(request.url)): nobody could say in time who asks")
        }
        return try result.get()
    }
}
