internal import Synchronization

/// A transfer that asks first whom to be, and once more when the server refuses that with 401.
///
/// Lock order: `state` is a leaf; the authority, the loop and the receiver are called without it.
package final class AuthorisedTransfer: Sendable {
    private struct State {
        /// What it was last sent with.
        var authorisation: Authorisation?
        var transfer: Transfer?
        var isRenewed = false
        var hasHead = false
        var isCancelled = false
    }

    private let request: TransferRequest
    private let receiver: any TransferReceiver
    private let authority: any TransferAuthority
    private let loop: TransferLoop
    private let state = Mutex(State())

    private init(
        _ request: TransferRequest, _ receiver: any TransferReceiver, _ authority: any TransferAuthority,
        _ loop: TransferLoop
    ) {
        self.request = request
        self.receiver = receiver
        self.authority = authority
        self.loop = loop
    }

    /// Starts a transfer and returns at once.
    ///
    /// - Parameters:
    ///   - request: Its credentials and pinned keys are the authority's to say.
    ///   - loop: Makes it.
    ///   - authority: Says whom to be.
    ///   - receiver: As for ``TransferLoop/start(_:into:)``.
    /// - Returns: A handle by which the transfer can be given up.
    package static func start(
        _ request: TransferRequest, on loop: TransferLoop, by authority: any TransferAuthority,
        into receiver: any TransferReceiver
    ) -> AuthorisedTransfer {
        let transfer = AuthorisedTransfer(request, receiver, authority, loop)
        transfer.begin(refused: nil)
        return transfer
    }

    /// Ends the transfer soon with ``HTTPError/cancelled``; nothing happens if it has ended.
    package func cancel() {
        let transfer = state.withLock { state in
            state.isCancelled = true
            return state.transfer
        }
        // Without one the authority is asked still, and its answer ends it.
        transfer?.cancel()
    }

    private func begin(refused: Authorisation?) {
        authority.authorise(request.url, of: request.group, refused: refused) { [self] result in
            switch result {
            case .success(let authorisation): send(authorisation)
            case .failure(let error): loop.refuse(receiver, error)
            }
        }
    }

    private func send(_ authorisation: Authorisation) {
        guard !state.withLock({ $0.isCancelled }) else { return loop.refuse(receiver, .cancelled) }
        var request = request
        request.apply(authorisation)
        state.withLock { $0.authorisation = authorisation }
        let transfer = loop.start(request, into: self)
        let isCancelled = state.withLock { state in
            state.transfer = transfer
            return state.isCancelled
        }
        if isCancelled { transfer.cancel() }
    }

    /// What was refused, if it can be renewed and wasn't yet.
    private func renewable(_ outcome: Result<Void, HTTPError>) -> Authorisation? {
        guard case .failure(.status(401, _)) = outcome else { return nil }
        return state.withLock { state in
            guard let authorisation = state.authorisation, authorisation.mayBeRenewed, !state.isRenewed, !state.hasHead
            else { return nil }
            state.isRenewed = true
            return authorisation
        }
    }
}

extension AuthorisedTransfer: TransferReceiver {
    package func didReceive(_ head: ResponseHead) -> TransferDecision {
        state.withLock { $0.hasHead = true }
        return receiver.didReceive(head)
    }

    package func didReceive(_ bytes: Span<UInt8>) -> TransferDecision { receiver.didReceive(bytes) }

    package func willRetry(after error: HTTPError) { receiver.willRetry(after: error) }

    package func didFinish(_ outcome: Result<Void, HTTPError>) {
        if let refused = renewable(outcome) { return begin(refused: refused) }
        if case .failure(.status(403, _)) = outcome { authority.noteForbidden(request.url, of: request.group) }
        receiver.didFinish(outcome)
    }
}
