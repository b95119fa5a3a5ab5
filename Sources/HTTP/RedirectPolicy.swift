/// Where a transfer may go, at the start and on each redirect.
package enum RedirectPolicy {
    /// How many redirects a transfer follows.
    package static var maximumRedirectCount: Int { 10 }

    /// Header fields that say what is asked for and not who asks; the only ones that another origin is sent.
    static let impersonalFields: Set<String> = [
        "accept", "accept-language", "if-match", "if-modified-since", "if-none-match", "if-range", "range",
    ]

    /// Checks that a transfer may begin at `url`.
    ///
    /// - Throws: ``HTTPError/badURL(reason:)`` or ``HTTPError/plainHTTPRefused(reason:)``.
    package static func checkStart(_ url: String, allowsPlainHTTP: Bool) throws(HTTPError) {
        switch URLReference.scheme(url) {
        case "https", "file": return
        case "http": try checkPlainHTTP(url, isAllowed: allowsPlainHTTP)
        case .some(let scheme): throw .badURL(reason: "\(scheme): is not a way to transfer anything")
        case nil: throw .badURL(reason: "not an absolute URL")
        }
    }

    /// Where a redirect leads.
    ///
    /// - Parameters:
    ///   - location: As the server wrote it, relative or absolute.
    ///   - url: Where the redirect came from.
    ///   - followedCount: How many redirects were followed before.
    ///   - allowsPlainHTTP: Whether plain http may go to other hosts than this one.
    /// - Returns: An absolute URL without user name and password.
    /// - Throws: ``HTTPError/refusedRedirect(reason:)`` or ``HTTPError/plainHTTPRefused(reason:)``.
    package static func target(
        of location: String, from url: String, followedCount: Int, allowsPlainHTTP: Bool
    ) throws(HTTPError) -> String {
        let place = URLReference.place(url)
        guard followedCount < maximumRedirectCount else {
            throw .refusedRedirect(reason: "\(place) redirects more than \(maximumRedirectCount) times")
        }
        guard let resolved = URLReference.resolve(location, against: url) else {
            throw .refusedRedirect(reason: "\(place) redirects to something that is not a URL")
        }
        // What a server writes into a redirect is nobody's name and password to use.
        let target = URLReference.splitCredentials(resolved)?.url ?? resolved
        switch (URLReference.scheme(url), URLReference.scheme(target)) {
        case (_, "https"): return target
        case ("http", "http"):
            try checkPlainHTTP(target, isAllowed: allowsPlainHTTP)
            return target
        case (_, "http"):
            throw .refusedRedirect(reason: "\(place) redirects from https to plain http, where anybody could listen")
        case (_, let scheme):
            throw .refusedRedirect(reason: "\(place) redirects to \(scheme ?? "nowhere"):, which is not followed")
        }
    }

    private static func checkPlainHTTP(_ url: String, isAllowed: Bool) throws(HTTPError) {
        guard !isAllowed, !URLReference.isLoopback(url) else { return }
        throw .plainHTTPRefused(
            reason: "\(URLReference.place(url)) is plain http, which anybody on the way can read and change")
    }
}

extension URLReference {
    /// What messages call a URL: its scheme, host and port, or the path of a file.
    ///
    /// Not more of it, because there are servers that take a key in the path.
    package static func place(_ url: String) -> String {
        guard let scheme = scheme(url) else { return "(not a URL)" }
        if scheme == "file" { return path(ofFileURL: url) ?? "the file" }
        guard let host = host(url) else { return "(not a URL)" }
        // As written: of two servers on one machine the port alone says which.
        return "\(scheme)://\(host)" + (port(url).map { ":\($0)" } ?? "")
    }
}
