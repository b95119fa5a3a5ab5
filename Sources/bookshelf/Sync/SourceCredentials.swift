internal import Accounts
internal import HTTP
internal import Log

/// Whom to be towards the servers of a source.
struct SourceCredentials: Sendable {
    private let secrets: SecretFile

    /// - Parameter path: Of the profile's secrets.
    init(secretsAt path: String) {
        secrets = SecretFile(path: path)
    }

    /// The credentials for a request; `nil` unless it goes to the very origin that they were given for.
    func credentials(of source: String, for url: String) -> Credentials? {
        guard let account = secrets.account(of: source), URLReference.origin(url) == account.origin else { return nil }
        return .password(user: account.user, password: account.password.exposed)
    }
}
