internal import CCurl

/// What is done with URLs as text.
///
/// libcurl: curl_url_set(3), curl_url_get(3); RFC 3986.
package enum URLReference {
    /// The absolute URL that `reference` means in a document at `base`, without fragment.
    ///
    /// Blanks and letters beyond ASCII, which URLs can't hold but catalogs do, are percent-encoded.
    ///
    /// - Returns: `nil` if either isn't a URL, or holds a control character.
    package static func resolve(_ reference: String, against base: String) -> String? {
        guard let base = encodingWhatURLsLack(base), let reference = encodingWhatURLsLack(reference) else { return nil }
        guard var url = ParsedURL(base) else { return nil }
        let isSameDocument = reference.isEmpty || reference.hasPrefix("#")
        if !isSameDocument, !url.set(CURLUPART_URL, to: reference) { return nil }
        guard url.set(CURLUPART_FRAGMENT, to: nil) else { return nil }
        return url.get(CURLUPART_URL)
    }

    /// The URL without user name, password, query and fragment, for messages; a placeholder if it isn't one.
    package static func redacted(_ url: String) -> String {
        guard var parsed = encodingWhatURLsLack(url).flatMap({ ParsedURL($0) }) else { return "(not a URL)" }
        for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_QUERY, CURLUPART_FRAGMENT] {
            _ = parsed.set(part, to: nil)
        }
        return parsed.get(CURLUPART_URL) ?? "(not a URL)"
    }

    /// Scheme, host and port in one canonical form, for example `https://example.org:443`; for a `file:` URL `file://`.
    package static func origin(_ url: String) -> String? {
        guard let parsed = ParsedURL(url), let scheme = parsed.get(CURLUPART_SCHEME)?.lowercased() else { return nil }
        guard scheme != "file" else { return "file://" }
        guard let host = parsed.get(CURLUPART_HOST)?.lowercased() else { return nil }
        let port = parsed.get(CURLUPART_PORT, flags: CURLU_DEFAULT_PORT) ?? ""
        return port.isEmpty ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }

    /// In lower case.
    package static func scheme(_ url: String) -> String? {
        ParsedURL(url)?.get(CURLUPART_SCHEME)?.lowercased()
    }

    /// Whether what a URL names comes over a network: by `http`, `https` or `s3`.
    package static func isOnNetwork(_ url: String) -> Bool {
        ["http", "https", "s3"].contains(scheme(url))
    }

    /// In lower case, an IPv6 address in its brackets; `nil` where there is none.
    package static func host(_ url: String) -> String? {
        guard let host = ParsedURL(url)?.get(CURLUPART_HOST)?.lowercased(), !host.isEmpty else { return nil }
        return host
    }

    /// The port that the URL states; `nil` if it leaves it to the scheme.
    static func port(_ url: String) -> String? {
        ParsedURL(url)?.get(CURLUPART_PORT)
    }

    /// Whether the host of `url` can only be this machine.
    package static func isLoopback(_ url: String) -> Bool {
        guard var host = host(url)?[...] else { return false }
        if host.hasSuffix(".") { host = host.dropLast() }
        if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The `file:` URL of an absolute path.
    ///
    /// - Returns: `nil` for a relative path, or one with a NUL in it.
    package static func fileURL(path: String) -> String? {
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else { return nil }
        return "file://" + percentEncoded(path) { $0.isUnreserved || $0 == UInt8(ascii: "/") }
    }

    /// The path that a `file:` URL names.
    ///
    /// - Returns: `nil` for a URL of another scheme or another host, or a path that isn't UTF-8 or holds a NUL.
    package static func path(ofFileURL url: String) -> String? {
        guard let parsed = ParsedURL(url), parsed.get(CURLUPART_SCHEME)?.lowercased() == "file",
            let path = parsed.get(CURLUPART_PATH)
        else { return nil }
        var bytes: [UInt8] = []
        var rest = Array(path.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                value != 0
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Takes user name and password out of a URL.
    ///
    /// - Returns: `nil` if there are none in it, or it isn't a URL.
    package static func splitCredentials(_ url: String) -> (url: String, user: String, password: String)? {
        guard var parsed = encodingWhatURLsLack(url).flatMap({ ParsedURL($0) }) else { return nil }
        let user = parsed.get(CURLUPART_USER, flags: CURLU_URLDECODE)
        let password = parsed.get(CURLUPART_PASSWORD, flags: CURLU_URLDECODE)
        guard user != nil || password != nil else { return nil }
        guard parsed.set(CURLUPART_USER, to: nil), parsed.set(CURLUPART_PASSWORD, to: nil),
            parsed.set(CURLUPART_OPTIONS, to: nil), let bare = parsed.get(CURLUPART_URL)
        else { return nil }
        return (bare, user ?? "", password ?? "")
    }

    /// Percent-encodes what may not stand in a URL and leaves the rest, escapes included.
    ///
    /// - Returns: `nil` if there is a control character in it.
    private static func encodingWhatURLsLack(_ text: String) -> String? {
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
        let lacking = Set(" \"<>\\^`{|}".utf8)
        return percentEncoded(text) { $0 < 0x80 && !lacking.contains($0) }
    }

    private static func percentEncoded(_ text: String, except isKept: (UInt8) -> Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isKept(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    /// RFC 3986, section 2.3.
    fileprivate var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
