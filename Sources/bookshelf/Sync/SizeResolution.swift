internal import Catalog
internal import HTTP
internal import Shelf
internal import Synchronization
internal import Threads

/// Asks sources for the sizes that no catalog has stated, politely and for a bounded time.
struct SizeResolution {
    let loop: TransferLoop
    let samples: SamplePolicy
    let credentials: SourceCredentials

    /// How long a command waits for it; what is still unknown then is asked at the next sync.
    static var limit: Duration { .seconds(30) }

    /// How many versions are asked for at a time.
    private static var batchCount: Int { 500 }

    private struct Progress {
        var pendingCount = 0
        var sizes: [(version: VersionID, byteCount: Int64, etag: String?)] = []
    }

    /// Asks for each version without a size, until all are known or the time is over.
    ///
    /// - Returns: How many sizes became known.
    /// - Throws: ``CatalogError``.
    func run(writer: borrowing CatalogWriter) throws(CatalogError) -> Int {
        let clock = ContinuousClock()
        let deadline = clock.now + Self.limit
        let versions = try writer.unsizedVersions(limit: Self.batchCount)
        guard !versions.isEmpty else { return 0 }
        let progress = Monitor(Progress(pendingCount: versions.count))
        let transfers = versions.map { version in
            ask(version) { byteCount, etag in
                progress.update { progress in
                    progress.pendingCount -= 1
                    if let byteCount { progress.sizes.append((version.id, byteCount, etag)) }
                }
            }
        }
        _ = progress.wait(atMost: deadline - clock.now) { $0.pendingCount == 0 ? true : nil }
        for transfer in transfers { transfer.cancel() }
        let sizes = progress.update { $0.sizes }
        for (version, byteCount, etag) in sizes {
            try writer.confirm(
                byteCount: byteCount, of: version, etag: etag, samples: samples, now: Now.nanoseconds)
        }
        return sizes.count
    }

    private func ask(
        _ version: ContentVersion, _ completion: @escaping @Sendable (Int64?, String?) -> Void
    ) -> Transfer {
        var request = TransferRequest(url: version.url)
        request.method = .head
        request.group = version.source
        request.allowsPlainHTTP = version.allowsPlainHTTP
        request.credentials = credentials.credentials(of: version.source, for: version.url)
        return loop.start(request, into: SizeReceiver(completion))
    }
}

/// Takes the size from a response's head.
private final class SizeReceiver: TransferReceiver {
    private let head = Mutex<ResponseHead?>(nil)
    private let completion: @Sendable (Int64?, String?) -> Void

    init(_ completion: @escaping @Sendable (Int64?, String?) -> Void) {
        self.completion = completion
    }

    func didReceive(_ head: ResponseHead) -> TransferDecision {
        self.head.withLock { $0 = head }
        return .goOn
    }

    func didReceive(_ bytes: Span<UInt8>) -> TransferDecision { .goOn }

    func didFinish(_ outcome: Result<Void, HTTPError>) {
        let head = head.withLock { $0 }
        guard case .success = outcome, let count = head?["content-length"].flatMap(Int64.init), count > 0 else {
            return completion(nil, nil)
        }
        completion(count, head?["etag"])
    }
}
