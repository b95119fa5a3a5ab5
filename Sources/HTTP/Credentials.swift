/// What a server asks for before it answers.
///
/// Printing one shows no secret.
package enum Credentials: Sendable, Hashable {
    /// Sent by Digest or Basic authentication, as the server wants it; Digest where it offers both.
    case password(user: String, password: String)

    /// Sent as `Authorization: Bearer`.
    case bearer(token: String)

    /// Not sent; signs the request for an object of S3.
    case signature(key: String, secret: String, region: String)
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String {
        switch self {
        case .password: "a user name and password"
        case .bearer: "a token"
        case .signature: "a key"
        }
    }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
