internal import CKeyring

/// The keyring of the session, loaded into the process that asks for it.
///
/// Each call may wait for as long as a person takes to unlock it: it is for a process of its own, which can be ended. What
/// loading it costs goes with that process.
///
/// libsecret: secret_password_lookup_sync() and its siblings.
package enum Keyring {
    /// Why the keyring didn't do it.
    package enum Failure: Error, Hashable, Sendable {
        /// libsecret isn't installed.
        case notInstalled

        /// In the keyring's own words, which hold no secret.
        case refused(reason: String)
    }

    /// The secret of a source.
    ///
    /// - Parameters:
    ///   - source: Its name.
    ///   - directory: Where the profile's data is, which tells profiles apart.
    /// - Returns: `nil` if there is none.
    /// - Throws: ``Failure``.
    package static func secret(of source: String, in directory: String) throws(Failure) -> String? {
        var secret: UnsafeMutablePointer<CChar>?
        var words: UnsafePointer<CChar>?
        let code = unsafe bookshelf_keyring_lookup(directory, source, &secret, &words)
        guard try unsafe isFound(code, words), let secret = unsafe secret else { return nil }
        return unsafe String(validatingCString: secret)
    }

    /// Keeps the secret of a source in place of the one that was kept.
    ///
    /// - Throws: ``Failure``.
    package static func keep(
        _ secret: String, of source: String, in directory: String, label: String
    ) throws(Failure) {
        var words: UnsafePointer<CChar>?
        let code = unsafe bookshelf_keyring_store(directory, source, label, secret, &words)
        _ = try unsafe isFound(code, words)
    }

    /// Forgets the secret of a source, if there is one.
    ///
    /// - Throws: ``Failure``.
    package static func forget(_ source: String, in directory: String) throws(Failure) {
        var words: UnsafePointer<CChar>?
        let code = unsafe bookshelf_keyring_clear(directory, source, &words)
        _ = try unsafe isFound(code, words)
    }

    private static func isFound(_ code: Int32, _ words: UnsafePointer<CChar>?) throws(Failure) -> Bool {
        switch code {
        case 0: return true
        case 1: return false
        case 2: throw .notInstalled
        default:
            let reason = unsafe words.flatMap { unsafe String(validatingCString: $0) }
            throw .refused(reason: reason ?? "the keyring says no")
        }
    }
}
