/// Why a transfer didn't bring what was asked for.
///
/// The cases are what a caller can tell apart; `reason` says in words what happened, and never holds a secret: of a URL it
/// names the origin at most.
package enum HTTPError: Error, Hashable, Sendable {
    /// The request itself can't be made: not a URL, or of a scheme that isn't taken.
    case badURL(reason: String)

    /// The server can't be reached: name not found, connection refused, no route.
    case unreachable(reason: String)

    /// The server couldn't be reached in time, said nothing for too long, or took too long altogether.
    case timedOut(reason: String)

    /// No trust: certificate, pinned key, handshake.
    case tls(reason: String)

    /// The server has another key than those that are pinned.
    case wrongKey(reason: String)

    /// Nothing was asked, because nobody is logged in with whom the server would talk.
    case loginNeeded(reason: String)

    /// A redirect that isn't followed: too many, from https to http, or to something that isn't http.
    case refusedRedirect(reason: String)

    /// Plain http to another host than this one, without leave.
    case plainHTTPRefused(reason: String)

    /// More bytes than the request allows.
    case tooLarge(reason: String)

    /// The connection ended before the response did.
    case brokenOff(reason: String)

    /// What came isn't a response by the protocol.
    case protocolBroken(reason: String)

    /// The server answered, but with this status.
    case status(Int, reason: String)

    /// The caller gave the transfer up, or the receiver stopped it.
    case cancelled

    /// A `file:` URL of something that isn't there, or isn't a regular file.
    case fileMissing(reason: String)

    /// A `file:` URL of a file that may not be read.
    case fileUnreadable(reason: String)

    /// What happened, in words.
    package var reason: String {
        switch self {
        case .cancelled: "the transfer was given up"
        case .badURL(let reason), .unreachable(let reason), .timedOut(let reason), .tls(let reason),
            .wrongKey(let reason), .loginNeeded(let reason), .refusedRedirect(let reason),
            .plainHTTPRefused(let reason), .tooLarge(let reason),
            .brokenOff(let reason), .protocolBroken(let reason), .status(_, let reason), .fileMissing(let reason),
            .fileUnreadable(let reason):
            reason
        }
    }
}
