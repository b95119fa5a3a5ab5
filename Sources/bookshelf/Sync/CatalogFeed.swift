internal import Catalog
internal import ContentSources
internal import HTTP
internal import JSON
internal import Shelf

/// Brings the pages of an OPDS catalog over the network, or from files.
///
/// Belongs to one walk and one thread.
final class CatalogFeed: FeedPageSource {
    /// How long one page may take to come.
    private static var totalTimeout: Duration { .seconds(300) }

    /// How long the question for a size may take.
    private static var sizeTimeout: Duration { .seconds(10) }

    /// How long an answer may be that says how to log in, in bytes.
    private static var documentByteLimit: Int { 256 << 10 }

    private let source: Source
    private let sync: SourceSync

    /// Of its own, so that a catalog of many pages needs few connections.
    private let session: TransferSession

    /// Whether the catalog said that nothing changed; the walk then ends with an error.
    private(set) var isNotModified = false

    /// What the first page said of itself.
    private var validators = Validators()
    private var pageCount = 0

    /// - Parameters:
    ///   - source: Whose pages these are.
    ///   - sync: Has the transfers.
    init(_ source: Source, sync: SourceSync) {
        self.source = source
        self.sync = sync
        session = sync.loop.session()
    }

    /// What the source said of a catalog of one page; nothing for more pages, of which each may change without the others.
    var wholeValidators: Validators { pageCount == 1 ? validators : Validators() }

    func bring(
        _ url: String, begin: (String) -> Void, take: (Span<UInt8>) throws(SourceError) -> Void
    ) throws(SourceError) -> String? {
        pageCount += 1
        var request = request(for: url)
        if pageCount == 1 {
            if let etag = source.validators.etag { request.fields.append(.init("If-None-Match", etag)) }
            if let date = source.validators.lastModified { request.fields.append(.init("If-Modified-Since", date)) }
        }
        var failure: SourceError?
        do throws(HTTPError) {
            try session.perform(request, by: sync.accounts) { head in
                if head.status == 304 {
                    isNotModified = true
                    return .stop
                }
                if pageCount == 1 {
                    validators = Validators(etag: head["etag"], lastModified: head["last-modified"])
                }
                begin(head.effectiveURL)
                return .goOn
            } onBody: { bytes in
                do throws(SourceError) {
                    try take(bytes)
                    return .goOn
                } catch {
                    failure = error
                    return .stop
                }
            }
        } catch {
            if let failure { throw failure }
            if isNotModified { throw .refused(reason: "not modified") }
            if case .status(let status, let reason) = error {
                if status == 401 || status == 403 { throw denial(error, at: url) }
                if status == 404 || status == 410 { return reason }
            }
            throw SourceError(error, source: source)
        }
        return nil
    }

    func byteCount(of url: String) -> Int64? {
        guard ["http", "https"].contains(URLReference.scheme(url)) else { return nil }
        var request = request(for: url)
        request.method = .head
        request.fields = []
        // As content is: what is compressed on the way has no size.
        request.allowsCompression = false
        request.retriesUnreachable = false
        request.totalTimeout = Self.sizeTimeout
        var byteCount: Int64?
        // Not in the session: a page may be under way in it.
        try? sync.loop.perform(request, by: sync.accounts) { head in
            byteCount = head.contentByteCount
            return .stop
        } onBody: { _ in
            .stop
        }
        return byteCount.flatMap { $0 > 0 ? $0 : nil }
    }

    private func request(for url: String) -> TransferRequest {
        var request = TransferRequest(url: url)
        request.group = source.name
        request.allowsPlainHTTP = source.allowsPlainHTTP
        request.allowsCompression = true
        request.connectTimeout = sync.connectTimeout
        request.stallTimeout = sync.stallTimeout
        request.totalTimeout = Self.totalTimeout
        request.fields = [
            .init("Accept", "application/atom+xml, application/opds+json;q=0.9, application/xml;q=0.8, */*;q=0.5")
        ]
        return request
    }

    /// What a server that refuses says of the ways to log in, by asking it once more and reading its answer.
    private func denial(_ error: HTTPError, at url: String) -> SourceError {
        var request = request(for: url)
        request.acceptsErrorResponses = true
        request.maximumBodyByteCount = Int64(Self.documentByteLimit)
        var isDocument = false
        var body: [UInt8] = []
        do throws(HTTPError) {
            try session.perform(request, by: sync.accounts) { head in
                isDocument = AuthenticationDocument.mediaTypes.contains(head.mediaType ?? "")
                return isDocument ? .goOn : .stop
            } onBody: { bytes in
                for index in bytes.indices { body.append(bytes[index]) }
                return .goOn
            }
        } catch {
            isDocument = false
        }
        guard isDocument, let json = try? JSONValue(parsing: body, byteLimit: Self.documentByteLimit) else {
            return SourceError(error, source: source)
        }
        return .denied(
            reason: "\(URLReference.place(url)) wants a login\(AuthenticationDocument(json).ways); "
                + "log in with: bookshelf login \(source.name)")
    }
}
