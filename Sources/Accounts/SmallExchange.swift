package import HTTP
internal import JSON

/// Requests whose answers are small JSON documents, one after another on the calling thread.
///
/// Answers are bounded, and what a server says in them is hostile until it was looked at.
package struct SmallExchange {
    /// What a server answered, a refusal included.
    struct Answer {
        let status: Int

        /// `null` where the body is no JSON.
        let json: JSONValue
        let head: ResponseHead
    }

    private let loop: TransferLoop
    private let source: String
    private let allowsPlainHTTP: Bool

    /// The origin that keys are pinned for, and the keys.
    private let pinnedOrigin: String?
    private let pinnedPublicKeys: [String]
    private let isCancelled: @Sendable () -> Bool

    private static var totalTimeout: Duration { .seconds(30) }
    private static var maximumByteCount: Int { 64 << 10 }

    /// - Parameters:
    ///   - loop: Makes the requests.
    ///   - source: Its name, under which bounds are shared and which messages name.
    ///   - allowsPlainHTTP: Whether plain http may go to other hosts than this one.
    ///   - pinnedOrigin: The origin whose server must have one of the keys.
    ///   - pinnedPublicKeys: As `sha256//BASE64`; empty to trust any valid certificate.
    ///   - isCancelled: Asked several times a second; `true` ends a request.
    package init(
        _ loop: TransferLoop, for source: String, allowsPlainHTTP: Bool, pinnedOrigin: String? = nil,
        pinnedPublicKeys: [String] = [], isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        self.loop = loop
        self.source = source
        self.allowsPlainHTTP = allowsPlainHTTP
        self.pinnedOrigin = pinnedOrigin
        self.pinnedPublicKeys = pinnedPublicKeys
        self.isCancelled = isCancelled
    }

    /// Makes a request for an answer in JSON.
    ///
    /// - Parameters:
    ///   - url: Absolute.
    ///   - change: What the request is besides a GET.
    /// - Returns: Whatever was answered with a status of 2xx, or of 4xx but 429.
    /// - Throws: ``HTTPError``.
    func ask(_ url: String, _ change: (inout TransferRequest) -> Void = { _ in }) throws(HTTPError) -> Answer {
        var request = TransferRequest(url: url)
        request.group = source
        request.isUrgent = true
        request.allowsPlainHTTP = allowsPlainHTTP
        request.acceptsErrorResponses = true
        request.totalTimeout = Self.totalTimeout
        request.stallTimeout = Self.totalTimeout
        request.retriesUnreachable = false
        if let pinnedOrigin, URLReference.origin(url) == pinnedOrigin { request.pinnedPublicKeys = pinnedPublicKeys }
        change(&request)
        request.fields.append(
            .init("Accept", "application/json, application/opds-authentication+json, application/problem+json;q=0.9"))
        var head: ResponseHead?
        var body: [UInt8] = []
        var isTooLong = false
        do throws(HTTPError) {
            try loop.session().perform(request, isCancelled: isCancelled) { received in
                head = received
                // A catalog that needs no login may be long, and isn't read for this.
                return received.status == 200 && !Self.isJSON(received) ? .stop : .goOn
            } onBody: { bytes in
                isTooLong = body.count + bytes.count > Self.maximumByteCount
                guard !isTooLong else { return .stop }
                for index in bytes.indices { body.append(bytes[index]) }
                return .goOn
            }
        } catch {
            guard case .cancelled = error, !isCancelled(), let head else { throw error }
            return Answer(status: head.status, json: .null, head: head)
        }
        guard let head else { throw .protocolBroken(reason: "\(URLReference.place(url)) answered nothing") }
        let json = (try? JSONValue(parsing: body, byteLimit: Self.maximumByteCount)) ?? .null
        return Answer(status: head.status, json: json, head: head)
    }

    private static func isJSON(_ head: ResponseHead) -> Bool {
        head.mediaType.map { $0 == "application/json" || $0.hasSuffix("+json") } ?? false
    }
}

extension SmallExchange.Answer {
    /// What the server says of a refusal, cut and on one line: RFC 9457.
    var problem: String? {
        let text = json["detail"]?.stringValue ?? json["title"]?.stringValue
        return text.map { String($0.unicodeScalars.prefix(200).map { $0.value < 0x20 ? " " : Character($0) }) }
    }
}
