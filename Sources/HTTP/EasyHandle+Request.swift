internal import CCurl

extension EasyHandle {
    /// Makes a handle for one hop of a request.
    ///
    /// - Parameters:
    ///   - request: Of which the hop is a part.
    ///   - url: Where this hop goes; checked before.
    ///   - isAtOrigin: Whether it is the origin that the request was made for, which alone learns who asks.
    ///   - isRetry: Whether a request failed before, so that none of the connections that are open is to be trusted.
    ///   - userAgent: What servers are told about this program.
    /// - Throws: ``HTTPError/badURL(reason:)`` if a header field or a setting can't be sent.
    init(
        _ request: TransferRequest, url: String, isAtOrigin: Bool, isRetry: Bool, userAgent: String
    ) throws(HTTPError) {
        self.init()
        set(CURLOPT_URL, to: url)
        set(CURLOPT_PROTOCOLS_STR, to: URLReference.scheme(url) ?? "https")
        set(CURLOPT_USERAGENT, to: userAgent)
        set(CURLOPT_CONNECTTIMEOUT_MS, to: request.connectTimeout)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, to: 1)
        // Where HTTP/2 may be spoken, the handshake says so soon: better to wait for that than to connect once more.
        if URLReference.scheme(url) == "https" { set(CURLOPT_PIPEWAIT, to: 1) }
        // “identity” is asked for, and what comes compressed all the same is decompressed.
        set(CURLOPT_ACCEPT_ENCODING, to: request.allowsCompression ? "gzip" : "identity")
        if isRetry { set(CURLOPT_FRESH_CONNECT, to: 1) }
        set(request.method, request.body)
        if URLReference.isLoopback(url) { set(CURLOPT_PROXY, to: "") }
        // Another server has another key: where it was redirected to, or came back from, makes no difference.
        if !request.pinnedPublicKeys.isEmpty, URLReference.origin(url) == URLReference.origin(request.url) {
            // To say which key it was if it is the wrong one.
            set(CURLOPT_CERTINFO, to: 1)
            set(CURLOPT_PINNEDPUBLICKEY, to: request.pinnedPublicKeys.joined(separator: ";"))
        }
        if let file = request.certificateAuthorityFile { set(CURLOPT_CAINFO, to: file) }
        for field in request.fields {
            guard isAtOrigin || RedirectPolicy.impersonalFields.contains(field.name.lowercased()) else { continue }
            guard field.isSound else { throw .badURL(reason: "a header field holds a line break") }
            addField(field.name, field.value)
        }
        if isAtOrigin, let credentials = request.credentials { set(credentials) }
        guard isSetUp else { throw .badURL(reason: "\(URLReference.place(url)): libcurl refuses the request") }
    }

    private mutating func set(_ method: TransferRequest.Method, _ body: [UInt8]) {
        switch method {
        case .get: break
        case .head: set(CURLOPT_NOBODY, to: 1)
        case .post:
            set(CURLOPT_POST, to: 1)
            setBody(body)
        case .delete: set(CURLOPT_CUSTOMREQUEST, to: "DELETE")
        }
    }

    private mutating func set(_ credentials: Credentials) {
        switch credentials {
        case .password(let user, let password):
            set(CURLOPT_HTTPAUTH, to: bookshelf_curl_auth_basic | bookshelf_curl_auth_digest)
            set(CURLOPT_USERNAME, to: user)
            set(CURLOPT_PASSWORD, to: password)
        case .bearer(let token):
            set(CURLOPT_HTTPAUTH, to: bookshelf_curl_auth_bearer)
            set(CURLOPT_XOAUTH2_BEARER, to: token)
        case .signature(let key, let secret, let region):
            set(CURLOPT_AWS_SIGV4, to: "aws:amz:\(region):s3")
            set(CURLOPT_USERNAME, to: key)
            set(CURLOPT_PASSWORD, to: secret)
        }
    }
}

extension TransferRequest.Field {
    /// Whether it stays one field on the way: values may have come from a server.
    fileprivate var isSound: Bool {
        !name.isEmpty && !name.utf8.contains { $0 <= 0x20 || $0 == UInt8(ascii: ":") || $0 >= 0x7F }
            && !value.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
    }
}
