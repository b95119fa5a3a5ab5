internal import HTTP
internal import Shelf

extension ContentError {
    /// What an error of a transfer means to a reader; there is no default, so that a new error gets its place.
    init(_ error: HTTPError) {
        let reason = error.reason
        switch error {
        case .unreachable: self = .unreachable(reason: reason)
        case .timedOut: self = .timedOut(reason: reason)
        case .cancelled: self = .interrupted
        case .fileMissing: self = .missing(reason: reason)
        case .fileUnreadable: self = .denied(reason: reason)
        case .status(401, _), .status(403, _), .loginNeeded: self = .denied(reason: reason)
        case .status(404, _), .status(410, _): self = .missing(reason: reason)
        case .status, .badURL, .tls, .wrongKey, .refusedRedirect, .plainHTTPRefused, .tooLarge, .brokenOff,
            .protocolBroken:
            self = .broken(reason: reason)
        }
    }
}
