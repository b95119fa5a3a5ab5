internal import FileLock
internal import JSON
package import Log

/// Keeps secrets outside of this program: the keyring of the session.
package protocol SecretKeeper: Sendable {
    /// The secret of a source; `nil` if there is none.
    ///
    /// - Throws: ``AccountError/keyring(reason:)``.
    func secret(of source: String) throws(AccountError) -> Secret?

    /// - Throws: ``AccountError/keyring(reason:)``; what was kept is kept still.
    func keep(_ secret: Secret, of source: String) throws(AccountError)

    /// - Throws: ``AccountError/keyring(reason:)``.
    func forget(_ source: String) throws(AccountError)
}

/// The accounts of a profile: all that is no secret in a file, the secrets in the keyring, or in the file where there is none.
///
/// Any number of processes may use it at once. Between processes: `secrets.lock` beside the file while it is changed, and
/// `login-SOURCE.lock` while a token is renewed, which is taken before the other.
package struct AccountStore: Sendable {
    private let file: SecretFile
    private let keyring: (any SecretKeeper)?

    /// How long another process may take to change the file.
    private static var patience: Duration { .seconds(10) }

    /// How long another process may take to renew a token.
    static var renewalPatience: Duration { .seconds(90) }

    /// - Parameters:
    ///   - path: Of the file, in a directory that exists.
    ///   - keyring: `nil` where there is none.
    package init(path: String, keyring: (any SecretKeeper)? = nil) {
        file = SecretFile(path: path)
        self.keyring = keyring
    }

    /// Changes when an account does.
    var stamp: SecretFile.Stamp? { file.stamp }

    /// The account of a source without asking the keyring, so that secrets may be missing from it; never waits.
    package func outline(of source: String) -> Account? {
        guard let entry = file.entry(of: source), var account = Account(outline: entry) else { return nil }
        if !account.isInKeyring { account.take(secrets: entry) }
        return account
    }

    /// The account of a source with its secrets; may wait for the keyring.
    ///
    /// - Throws: ``AccountError/keyring(reason:)``.
    package func account(of source: String) throws(AccountError) -> Account? {
        guard var account = outline(of: source) else { return nil }
        guard account.isInKeyring else { return account }
        guard let keyring else {
            throw .keyring(
                reason:
                    "the login of “\(source)” is in the keyring of a desktop session, which can't be asked from here"
            )
        }
        guard let secret = try keyring.secret(of: source), let json = try? JSONValue(parsing: secret.exposed) else {
            return account
        }
        account.take(secrets: json)
        return account
    }

    /// Keeps an account in place of the one that was kept.
    ///
    /// - Parameters:
    ///   - account: Kept with the next generation.
    ///   - source: Its name.
    /// - Returns: The account as it is kept.
    /// - Throws: ``AccountError/storage(reason:)``; what was kept is kept still.
    @discardableResult
    package func keep(_ account: Account, of source: String) throws(AccountError) -> Account {
        let lock = try lockFile()
        defer { lock.holdUntilHere() }
        var account = account
        account.generation = max(account.generation, outline(of: source)?.generation ?? 0) + 1
        var entry = account.outline
        let secrets = account.secrets
        account.isInKeyring = !secrets.members.isEmpty && keep(secrets, of: source)
        if account.isInKeyring {
            entry["keyring"] = true
        } else {
            for member in secrets.members { entry[member.key] = member.value }
        }
        try file.replaceEntry(of: source, by: entry)
        return account
    }

    /// - Returns: Whether the keyring has them.
    private func keep(_ secrets: JSONObject, of source: String) -> Bool {
        guard let keyring else { return false }
        let text = String(decoding: JSONValue.object(secrets).encoded(), as: UTF8.self)
        do throws(AccountError) {
            try keyring.keep(Secret(text), of: source)
            return true
        } catch {
            return false
        }
    }

    /// Says that a person has to log in, or has not to any more; secrets that are of no use any more go.
    ///
    /// - Parameters:
    ///   - reason: In words; `nil` takes it back.
    ///   - source: Its name.
    ///   - generation: Of the account that was looked at; a newer one stays as it is. `nil` for whatever is there.
    /// - Throws: ``AccountError/storage(reason:)``.
    package func setLoginNeeded(
        _ reason: String?, of source: String, ifStill generation: Int64? = nil
    ) throws(AccountError) {
        let lock = try lockFile()
        defer { lock.holdUntilHere() }
        guard let entry = file.entry(of: source), let account = Account(outline: entry), account.loginNeeded != reason,
            generation == nil || generation == account.generation, var members = entry.objectValue
        else { return }
        members["loginNeeded"] = reason.map { .string($0) }
        members["generation"] = .integer(account.generation + 1)
        try file.replaceEntry(of: source, by: members)
    }

    /// Forgets the account of a source; nothing happens if there is none.
    ///
    /// - Throws: ``AccountError``.
    package func forget(_ source: String) throws(AccountError) {
        let lock = try lockFile()
        defer { lock.holdUntilHere() }
        if let keyring, outline(of: source)?.isInKeyring == true { try keyring.forget(source) }
        try file.replaceEntry(of: source, by: nil)
    }

    private func lockFile() throws(AccountError) -> FileLock {
        try lock(at: file.path + ".lock", atMost: Self.patience)
    }

    /// The right to renew the token of a source: servers take a token that was used twice for a stolen one.
    ///
    /// - Throws: ``AccountError/storage(reason:)``.
    func lockForRenewal(of source: String) throws(AccountError) -> FileLock {
        let slash = file.path.lastIndex(of: "/").map { file.path[...$0] } ?? ""
        return try lock(at: "\(slash)login-\(source).lock", atMost: Self.renewalPatience)
    }

    private func lock(at path: String, atMost limit: Duration) throws(AccountError) -> FileLock {
        do throws(FileLock.Failure) {
            return try FileLock(path, .exclusive, waitingAtMost: limit)
        } catch {
            switch error {
            case .held: throw .storage(reason: "another process is at work on the logins for too long (\(path))")
            case .unusable(let number): throw .storage(reason: "\(path) can't be opened (error \(number))")
            }
        }
    }
}
