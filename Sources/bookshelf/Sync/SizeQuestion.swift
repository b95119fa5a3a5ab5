internal import HTTP
internal import Shelf
internal import Synchronization

/// One question for the size of a content: by HEAD, and where that brings none, by GET of the first byte.
///
/// Lock order: `state` is a leaf; the loop and the completion are called without it.
final class SizeQuestion: Sendable {
    /// What a source says about a content that it wasn't asked to send.
    struct Size: Sendable {
        /// Never 0.
        let byteCount: Int64
        let etag: String?
    }

    private struct State {
        var transfer: Transfer?
        var isCancelled = false
    }

    private let version: ContentVersion
    private let loop: TransferLoop
    private let credentials: SourceCredentials
    private let completion: @Sendable (Size?) -> Void
    private let state = Mutex(State())

    /// - Parameter completion: Called once after ``ask()``, from the thread of the loop; `nil` where there's no size.
    init(
        _ version: ContentVersion, on loop: TransferLoop, credentials: SourceCredentials,
        completion: @escaping @Sendable (Size?) -> Void
    ) {
        self.version = version
        self.loop = loop
        self.credentials = credentials
        self.completion = completion
    }

    func ask() {
        ask(.head) { [self] outcome in
            switch outcome {
            case .size(let size): completion(size)
            case .absent: completion(nil)
            case .unanswered: ask(.get) { [self] in completion($0.size) }
            }
        }
    }

    /// Ends the question soon.
    func cancel() {
        let transfer = state.withLock { state in
            state.isCancelled = true
            return state.transfer
        }
        transfer?.cancel()
    }

    private func ask(_ method: TransferRequest.Method, _ next: @escaping @Sendable (Outcome) -> Void) {
        guard !state.withLock({ $0.isCancelled }) else { return next(.absent) }
        var request = TransferRequest(url: version.url)
        request.method = method
        request.group = version.source
        request.allowsPlainHTTP = version.allowsPlainHTTP
        request.credentials = credentials.credentials(of: version.source, for: version.url)
        if method == .get { request.fields.append(.init("Range", "bytes=0-0")) }
        let transfer = loop.start(request, into: SizeReceiver(next))
        let isCancelled = state.withLock { state in
            state.transfer = transfer
            return state.isCancelled
        }
        if isCancelled { transfer.cancel() }
    }
}

/// What came of one request.
private enum Outcome {
    case size(SizeQuestion.Size)

    /// There's no such content, or no way to it: asking in another way is of no use.
    case absent

    /// This way of asking brings no size.
    case unanswered

    var size: SizeQuestion.Size? {
        if case .size(let size) = self { size } else { nil }
    }
}

/// Takes the size from a response's head, and lets the body be.
private final class SizeReceiver: TransferReceiver {
    private let head = Mutex<ResponseHead?>(nil)
    private let completion: @Sendable (Outcome) -> Void

    init(_ completion: @escaping @Sendable (Outcome) -> Void) {
        self.completion = completion
    }

    func didReceive(_ head: ResponseHead) -> TransferDecision {
        self.head.withLock { $0 = head }
        return .goOn
    }

    // A server that knows no ranges sends the whole book.
    func didReceive(_ bytes: Span<UInt8>) -> TransferDecision { .stop }

    func didFinish(_ outcome: Result<Void, HTTPError>) {
        if let head = head.withLock({ $0 }) {
            guard let byteCount = head.wholeByteCount, byteCount > 0 else { return completion(.unanswered) }
            return completion(.size(SizeQuestion.Size(byteCount: byteCount, etag: head["etag"])))
        }
        switch outcome {
        case .success, .failure(.protocolBroken): completion(.unanswered)
        // A signed URL may allow GET alone, and other servers know nothing else.
        case .failure(.status(let status, _)): completion(status == 404 || status == 410 ? .absent : .unanswered)
        case .failure: completion(.absent)
        }
    }
}

extension ResponseHead {
    /// Of the whole content, in bytes, also where a part was asked for; `nil` where the server doesn't say or compresses.
    fileprivate var wholeByteCount: Int64? {
        guard status == 206 else {
            return self["content-encoding"] == nil ? self["content-length"].flatMap(Int64.init) : nil
        }
        // RFC 9110, section 14.4: bytes FIRST-LAST/WHOLE.
        return self["content-range"]?.split(separator: "/").last.flatMap { Int64($0) }
    }
}
