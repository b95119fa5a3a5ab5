/// A URL that is shown without what could let somebody in.
///
/// Stores put keys in every part of a URL: user and password before the host, tokens in the query, and some an API key as
/// a segment of the path. So most of the log shows the origin alone; ``outline`` adds the path for those who look for a
/// fault, with every segment left out that could be a key.
package struct RedactedURL: Hashable, Sendable {
    /// Scheme, host and port, for example `https://books.example:8443`; `<url>` for a text that has none.
    package let origin: String

    /// The origin, and the path with `…` in place of each segment that could be a key; never a query or fragment.
    package let outline: String

    package init(_ url: String) {
        guard let scheme = RedactedURL.scheme(of: url) else {
            origin = "<url>"
            outline = "<url>"
            return
        }
        let rest = url.dropFirst(scheme.count + 3)
        let authority = rest.prefix { !"/\\?#".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let path = rest.dropFirst(authority.count).prefix { $0 != "?" && $0 != "#" }
        origin = "\(scheme.lowercased())://\(host)"
        outline =
            origin
            + path.split(separator: "/", omittingEmptySubsequences: false)
            .map { RedactedURL.couldBeKey($0) ? "…" : String($0) }
            .joined(separator: "/")
    }

    /// What stands before `://`, if it is a scheme by RFC 3986, section 3.1.
    private static func scheme(of url: String) -> Substring? {
        let scheme = url.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        guard let first = scheme.first, first.isLetter, url.dropFirst(scheme.count).hasPrefix("://") else { return nil }
        return scheme
    }

    /// Whether a segment might be a key: anything longer than a short word that isn't plainly a number or words.
    private static func couldBeKey(_ segment: Substring) -> Bool {
        if segment.count <= 7 { return false }
        if segment.allSatisfy({ $0.isASCII && $0.isNumber }) { return segment.count > 10 }
        let words = segment.split { "-_.".contains($0) }
        return words.contains { word in
            word.count > 12 || !word.allSatisfy { $0.isASCII && $0.isLowercase }
        }
    }
}

extension RedactedURL: CustomStringConvertible {
    package var description: String { origin }
}
