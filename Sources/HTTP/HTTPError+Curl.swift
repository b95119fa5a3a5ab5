internal import CCurl

extension HTTPError {
    /// The error that a code of libcurl means.
    ///
    /// - Parameters:
    ///   - code: Other than `CURLE_OK`.
    ///   - url: Where the transfer was; the message names its origin.
    ///   - detail: What libcurl says besides, shown for TLS alone, where it tells certificates apart.
    ///   - group: Of the request, which is what keys are pinned for.
    ///   - shownKey: The key of the server, as `sha256//BASE64`, where it is known.
    ///
    /// libcurl: libcurl-errors(3).
    init(code: CURLcode, url: String, detail: String, group: String, shownKey: String?) {
        let words = unsafe String(cString: curl_easy_strerror(code))
        let reason = "\(URLReference.place(url)): \(words)"
        switch code {
        case CURLE_UNSUPPORTED_PROTOCOL where URLReference.scheme(url)?.hasPrefix("http") == true:
            // What it calls HTTP/0.9: bytes without a head, such as those that a server sent beyond its last response.
            self = .protocolBroken(reason: "\(URLReference.place(url)) answered with something that isn't HTTP")
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
            self = .badURL(reason: reason)
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_PROXY:
            self = .unreachable(reason: reason)
        case CURLE_OPERATION_TIMEDOUT:
            self = .timedOut(reason: reason)
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            let key = shownKey.map { "has the key \($0)" } ?? "has another key"
            self = .wrongKey(
                reason:
                    "\(URLReference.place(url)) \(key), which is none of those that “\(group)” is pinned to: it has a new key, or somebody else answers for it; ask who runs it, and if its key has changed, add the source anew with that one after --pin"
            )
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_CLIENTCERT, CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED:
            self = .tls(reason: detail.isEmpty ? reason : "\(URLReference.place(url)): \(detail)")
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            self = .brokenOff(reason: reason)
        case CURLE_FILESIZE_EXCEEDED:
            self = .tooLarge(reason: reason)
        case CURLE_FILE_COULDNT_READ_FILE:
            self = .fileMissing(reason: reason)
        default:
            self = .protocolBroken(reason: reason)
        }
    }

    /// Whether the same request may well succeed a moment later.
    var mayPass: Bool {
        switch self {
        // A broken protocol is often that of a connection, and the next attempt makes a new one.
        case .unreachable, .timedOut, .brokenOff, .protocolBroken: true
        case .status(let status, _): status == 429 || (500...599).contains(status)
        case .badURL, .tls, .wrongKey, .loginNeeded, .refusedRedirect, .plainHTTPRefused, .tooLarge, .cancelled,
            .fileMissing,
            .fileUnreadable:
            false
        }
    }
}
