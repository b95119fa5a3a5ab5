package import HTTP
package import Shelf
internal import Synchronization

/// Brings content over http, https and from files.
package final class ContentTransfers: ContentFetcher {
    /// How long a transfer may take to connect, and how long it may be silent.
    package struct Timeouts: Sendable {
        package var connect: Duration
        package var stall: Duration

        package init(connect: Duration = .seconds(15), stall: Duration = .seconds(60)) {
            self.connect = connect
            self.stall = stall
        }
    }

    private let loop: TransferLoop
    private let timeouts: Timeouts
    private let authority: (any TransferAuthority)?

    /// - Parameters:
    ///   - loop: Makes the transfers.
    ///   - timeouts: Hold for each attempt.
    ///   - authority: Says whom to be for a content; asked for each transfer, on the thread that starts it.
    package init(
        _ loop: TransferLoop, timeouts: Timeouts = Timeouts(),
        authority: (any TransferAuthority)? = nil
    ) {
        self.loop = loop
        self.timeouts = timeouts
        self.authority = authority
    }

    package func fetch(_ request: ContentRequest, into receiver: any ContentReceiver) -> any ContentTransfer {
        let version = request.version
        var transfer = TransferRequest(url: version.url)
        transfer.group = version.source
        transfer.isUrgent = request.isUrgent
        transfer.allowsPlainHTTP = version.allowsPlainHTTP
        transfer.connectTimeout = timeouts.connect
        transfer.stallTimeout = timeouts.stall
        // A reader that waits learns at once that there is no way; what nobody waits for may wait for the way.
        transfer.retriesUnreachable = !request.isUrgent
        if request.isPart {
            let last = request.end.map { String($0 - 1) } ?? ""
            transfer.fields.append(.init("Range", "bytes=\(request.offset)-\(last)"))
            if let validator = request.ifRange { transfer.fields.append(.init("If-Range", validator)) }
        }
        let transferReceiver = ContentTransferReceiver(receiver, of: request)
        if let authority, URLReference.scheme(version.url) != "file" {
            return AuthorisedContent(
                transfer: AuthorisedTransfer.start(transfer, on: loop, by: authority, into: transferReceiver))
        }
        return CancellableTransfer(transfer: loop.start(transfer, into: transferReceiver))
    }
}

private struct CancellableTransfer: ContentTransfer {
    let transfer: Transfer

    func cancel() {
        transfer.cancel()
    }
}

private struct AuthorisedContent: ContentTransfer {
    let transfer: AuthorisedTransfer

    func cancel() {
        transfer.cancel()
    }
}

/// Passes a transfer on in the words of content.
private final class ContentTransferReceiver: TransferReceiver {
    private let receiver: any ContentReceiver

    /// What was asked for.
    private let request: ContentRequest

    /// Why the transfer was stopped from this side, which is its outcome then.
    private let stopped = Mutex<ContentError?>(nil)

    init(_ receiver: any ContentReceiver, of request: ContentRequest) {
        self.receiver = receiver
        self.request = request
    }

    func didReceive(_ head: ResponseHead) -> TransferDecision {
        do throws(ContentError) {
            try receiver.didReceive(try ContentResponse(head, asked: request))
            return .goOn
        } catch {
            return stop(error)
        }
    }

    func didReceive(_ bytes: Span<UInt8>) -> TransferDecision {
        do throws(ContentError) {
            try receiver.didReceive(bytes)
            return .goOn
        } catch {
            return stop(error)
        }
    }

    func willRetry(after error: HTTPError) {
        receiver.willRetry(after: ContentError(error))
    }

    func didFinish(_ outcome: Result<Void, HTTPError>) {
        let reason = stopped.withLock { $0 }
        receiver.didFinish(outcome.mapError { reason ?? ContentError($0) })
    }

    private func stop(_ error: ContentError) -> TransferDecision {
        stopped.withLock { $0 = error }
        return .stop
    }
}
