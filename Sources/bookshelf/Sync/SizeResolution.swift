internal import Accounts
internal import Catalog
internal import HTTP
internal import Shelf
internal import Synchronization
internal import Threads

/// Asks sources for the sizes that no catalog has stated, politely and for a bounded time.
///
/// By HEAD, and where a source doesn't take that, by a GET of the first byte.
struct SizeResolution {
    let loop: TransferLoop
    let accounts: AccountSessions

    /// How long a command waits for it; what is still unknown then is asked at the next sync.
    static var limit: Duration { .seconds(30) }

    /// How many versions are asked for at a time.
    private static var batchCount: Int { 100 }

    private struct Progress {
        var pendingCount = 0
        var sizes: [(version: VersionID, byteCount: Int64, etag: String?)] = []
    }

    /// Asks for each version without a size once, until the time is over.
    ///
    /// - Returns: How many sizes became known.
    /// - Throws: ``CatalogError``.
    func run(writer: borrowing CatalogWriter) throws(CatalogError) -> Int {
        let clock = ContinuousClock()
        let deadline = clock.now + Self.limit
        var count = 0
        var last: VersionID?
        while clock.now < deadline {
            let versions = try writer.unsizedVersions(after: last, limit: Self.batchCount)
            guard let end = versions.last else { break }
            last = end.id
            for (version, byteCount, etag) in ask(versions, until: deadline) {
                try writer.confirm(byteCount: byteCount, of: version, etag: etag, now: Now.nanoseconds)
                count += 1
            }
        }
        return count
    }

    private func ask(
        _ versions: [ContentVersion], until deadline: ContinuousClock.Instant
    ) -> [(version: VersionID, byteCount: Int64, etag: String?)] {
        let progress = Monitor(Progress(pendingCount: versions.count))
        let questions = versions.map { version in
            SizeQuestion(version, accounts, loop) { size in
                progress.update { progress in
                    progress.pendingCount -= 1
                    if let size { progress.sizes.append((version.id, size.byteCount, size.etag)) }
                }
            }
        }
        for question in questions { question.ask(.head) }
        let remaining = max(.zero, deadline - ContinuousClock().now)
        _ = progress.wait(atMost: remaining) { $0.pendingCount == 0 ? true : nil }
        for question in questions { question.giveUp() }
        return progress.update { $0.sizes }
    }
}

/// The question for one size; it is its own receiver.
///
/// Lock order: `state` is a leaf; the loop and the completion are called without it.
private final class SizeQuestion: TransferReceiver {
    struct Size {
        let byteCount: Int64
        let etag: String?
    }

    private struct State {
        var size: Size?
        var method = TransferRequest.Method.head
        var transfer: AuthorisedTransfer?
        var isGivenUp = false
    }

    private let version: ContentVersion
    private let accounts: AccountSessions
    private let loop: TransferLoop
    private let completion: @Sendable (Size?) -> Void
    private let state = Mutex(State())

    init(
        _ version: ContentVersion, _ accounts: AccountSessions, _ loop: TransferLoop,
        completion: @escaping @Sendable (Size?) -> Void
    ) {
        self.version = version
        self.accounts = accounts
        self.loop = loop
        self.completion = completion
    }

    func ask(_ method: TransferRequest.Method) {
        var request = TransferRequest(url: version.url)
        request.method = method
        request.group = version.source
        request.allowsPlainHTTP = version.allowsPlainHTTP
        if method == .get { request.fields.append(.init("Range", "bytes=0-0")) }
        state.withLock { $0.method = method }
        let transfer = AuthorisedTransfer.start(request, on: loop, by: accounts, into: self)
        let isGivenUp = state.withLock { state in
            state.transfer = transfer
            return state.isGivenUp
        }
        if isGivenUp { transfer.cancel() }
    }

    func giveUp() {
        let transfer = state.withLock { state in
            state.isGivenUp = true
            return state.transfer
        }
        transfer?.cancel()
    }

    func didReceive(_ head: ResponseHead) -> TransferDecision {
        state.withLock { state in
            if let byteCount = Self.byteCount(in: head) { state.size = Size(byteCount: byteCount, etag: head["etag"]) }
            // The body of a source that answers with the whole isn't wanted.
            return state.method == .head ? .goOn : .stop
        }
    }

    func didReceive(_ bytes: Span<UInt8>) -> TransferDecision { .stop }

    func didFinish(_ outcome: Result<Void, HTTPError>) {
        let (size, method, isGivenUp) = state.withLock { ($0.size, $0.method, $0.isGivenUp) }
        if size == nil, method == .head, !isGivenUp, Self.mayKnowByGet(outcome) { return ask(.get) }
        completion(size)
    }

    /// Whether a source that didn't answer HEAD may answer GET.
    private static func mayKnowByGet(_ outcome: Result<Void, HTTPError>) -> Bool {
        switch outcome {
        case .success: true
        case .failure(.status(let status, _)): ![401, 404, 410, 429].contains(status) && status < 502
        case .failure: false
        }
    }

    /// The size of the whole: of a part by its Content-Range, `bytes 0-0/1234`.
    private static func byteCount(in head: ResponseHead) -> Int64? {
        if head.status == 206 {
            guard let range = head["content-range"], let slash = range.lastIndex(of: "/") else { return nil }
            return Int64(range[range.index(after: slash)...]).flatMap { $0 > 0 ? $0 : nil }
        }
        return head["content-length"].flatMap(Int64.init).flatMap { $0 > 0 ? $0 : nil }
    }
}
