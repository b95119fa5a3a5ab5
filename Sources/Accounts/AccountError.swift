internal import HTTP

/// Why a login, or what goes with one, didn't come about.
///
/// The cases are what a caller can tell apart; `reason` says in words what happened, and never holds a secret.
package enum AccountError: Error, Hashable, Sendable {
    /// The file of secrets can't be read or written.
    case storage(reason: String)

    /// The keyring that has the secret doesn't give it.
    case keyring(reason: String)

    /// The server can't be reached.
    case unreachable(reason: String)

    /// The server answers, but can't do it now.
    case busy(reason: String)

    /// The server doesn't take the password, the code or the token: a person has to log in anew.
    case refused(reason: String)

    /// The server answered something that makes no sense, or may not be obeyed.
    case malformed(reason: String)

    /// The person gave it up, or took too long.
    case abandoned(reason: String)

    /// What happened, in words.
    package var reason: String {
        switch self {
        case .storage(let reason), .keyring(let reason), .unreachable(let reason), .busy(let reason),
            .refused(let reason),
            .malformed(let reason), .abandoned(let reason):
            reason
        }
    }

    /// What an error of a transfer means to a login.
    init(_ error: HTTPError) {
        switch error {
        case .status(401, let reason), .status(403, let reason): self = .refused(reason: reason)
        case .unreachable, .timedOut: self = .unreachable(reason: error.reason)
        case .brokenOff, .status(429, _), .status(500..., _): self = .busy(reason: error.reason)
        case .cancelled: self = .abandoned(reason: error.reason)
        case .badURL, .tls, .wrongKey, .loginNeeded, .refusedRedirect, .plainHTTPRefused, .tooLarge, .protocolBroken,
            .status, .fileMissing, .fileUnreadable:
            self = .malformed(reason: error.reason)
        }
    }
}
