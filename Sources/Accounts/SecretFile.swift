internal import Glibc
internal import JSON
package import Log

/// The secrets of a profile in a file that only its owner can read, for where there is no keyring.
///
/// The file is replaced whole, by rename(2): after a crash it holds what it held before or what it should hold.
/// Two processes that write at once would lose one of the changes; commands hold the profile's lock meanwhile.
package struct SecretFile: Sendable {
    /// How a source knows the person.
    package struct Account: Sendable {
        package let user: String
        package let password: Secret

        /// Scheme, host and port of the server that may be told, in canonical form.
        package let origin: String

        package init(user: String, password: Secret, origin: String) {
            self.user = user
            self.password = password
            self.origin = origin
        }
    }

    /// Why a secret couldn't be kept.
    package struct Failure: Error, Hashable, Sendable {
        /// Without any secret.
        package let reason: String
    }

    /// More than this isn't read.
    private static var maximumByteCount: Int { 1 << 20 }
    private let path: String

    /// - Parameter path: In a directory that exists.
    package init(path: String) {
        self.path = path
    }

    /// The account of a source; `nil` if none is kept, or the file can be read by others, which makes it no secret.
    package func account(of source: String) -> Account? {
        guard let entry = read()?[source], let user = entry["user"]?.stringValue,
            let password = entry["password"]?.stringValue, let origin = entry["origin"]?.stringValue
        else { return nil }
        return Account(user: user, password: Secret(password), origin: origin)
    }

    /// Keeps an account; one that was kept before is replaced.
    ///
    /// - Throws: ``Failure``; the file is then as it was.
    package func keep(_ account: Account, of source: String) throws(Failure) {
        var members = read()?.objectValue ?? JSONObject()
        var entry = JSONObject()
        entry["user"] = .string(account.user)
        entry["password"] = .string(account.password.exposed)
        entry["origin"] = .string(account.origin)
        members[source] = .object(entry)
        try replace(with: .object(members))
    }

    /// Forgets the account of a source; nothing happens if there is none.
    ///
    /// - Throws: ``Failure``; the file is then as it was.
    package func forget(_ source: String) throws(Failure) {
        guard var members = read()?.objectValue, members[source] != nil else { return }
        members[source] = nil
        try replace(with: .object(members))
    }

    private func read() -> JSONValue? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & 0o077 == 0, status.st_uid == geteuid(),
            status.st_size <= Self.maximumByteCount
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
        guard count == bytes.count else { return nil }
        return try? JSONValue(parsing: bytes)
    }

    private func replace(with json: JSONValue) throws(Failure) {
        let temporary = "\(path).\(getpid()).new"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path) }
        let bytes = json.encoded()
        let isSafe =
            unsafe fchmod(descriptor, 0o600) == 0 && write(descriptor, bytes, bytes.count) == bytes.count
            && fsync(descriptor) == 0
        close(descriptor)
        guard isSafe, unsafe rename(temporary, path) == 0 else {
            let failure = Self.failure(path)
            unsafe unlink(temporary)
            throw failure
        }
    }

    private static func failure(_ path: String) -> Failure {
        unsafe Failure(reason: "\(path) can't be written: \(String(cString: strerror(errno)))")
    }
}
