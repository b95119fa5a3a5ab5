internal import Glibc
internal import JSON

/// The accounts of a profile in a file that only its owner can read, with their secrets where there is no keyring.
///
/// The file is replaced whole, by rename(2): after a crash it holds what it held before or what it should hold.
/// Two processes that write at once would lose one of the changes; ``AccountStore`` holds a lock meanwhile.
struct SecretFile: Sendable {
    /// What tells whether the file is still as it was.
    struct Stamp: Hashable, Sendable {
        fileprivate let inode: UInt64
        fileprivate let byteCount: Int
        fileprivate let modifiedAt: [Int]
    }

    /// More than this isn't read.
    private static var maximumByteCount: Int { 1 << 20 }
    let path: String

    /// - Parameter path: In a directory that exists.
    init(path: String) {
        self.path = path
    }

    /// `nil` if there is no file.
    var stamp: Stamp? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return Stamp(
            inode: UInt64(status.st_ino), byteCount: Int(status.st_size),
            modifiedAt: [status.st_mtim.tv_sec, status.st_mtim.tv_nsec])
    }

    /// What is kept of a source; `nil` if nothing is, or the file can be read by others, which makes it no secret.
    func entry(of source: String) -> JSONValue? { read()?[source] }

    /// Keeps something of a source in place of what was kept, or with `nil` nothing.
    ///
    /// - Throws: ``AccountError/storage(reason:)``; the file is then as it was.
    func replaceEntry(of source: String, by entry: JSONObject?) throws(AccountError) {
        var members = read()?.objectValue ?? JSONObject()
        guard entry != nil || members[source] != nil else { return }
        members[source] = entry.map { .object($0) }
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

    private func replace(with json: JSONValue) throws(AccountError) {
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

    private static func failure(_ path: String) -> AccountError {
        unsafe .storage(reason: "\(path) can't be written: \(String(cString: strerror(errno)))")
    }
}
