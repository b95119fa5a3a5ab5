internal import Glibc

/// A small file beside a database, by which processes agree about it: with words in it, and a lock on it.
///
/// The lock belongs to the open file and goes with the process, however it ends. See flock(2).
package struct LockedFile: ~Copyable {
    package enum Mode: Sendable { case shared, exclusive }

    private let path: String
    private let descriptor: Int32

    /// Opens the file, makes it where there is none, and waits for the lock; `nil` if it can't be had.
    ///
    /// - Parameters:
    ///   - path: Of the file, which is never a database.
    ///   - mode: Who may have it at the same time.
    ///   - limit: How long at most.
    package init?(_ path: String, _ mode: Mode, waitingAtMost limit: Duration) {
        let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else { return nil }
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        while flock(opened, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, clock.now < deadline else {
                close(opened)
                return nil
            }
            usleep(2_000)
        }
        self.path = path
        descriptor = opened
    }

    deinit {
        close(descriptor)
    }

    /// Does nothing, but for keeping the lock: its last use would otherwise be where it was made.
    package borrowing func holdUntilHere() {}

    /// Whether the file has its name still: while one waited for the lock, another process may have removed it.
    package var hasItsName: Bool {
        var its = stat()
        var named = stat()
        return unsafe fstat(descriptor, &its) == 0 && stat(path, &named) == 0 && its.st_ino == named.st_ino
            && its.st_dev == named.st_dev
    }

    /// Removes the file; whoever waits for its lock finds that it has no name any more.
    package func remove() {
        if hasItsName { unsafe unlink(path) }
    }

    /// Makes the file with words in it; one that is there keeps those that it has.
    package static func make(_ path: String, words: String) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let bytes = Array(words.utf8.prefix(maximumByteCount))
        unsafe write(descriptor, bytes, bytes.count)
        close(descriptor)
    }

    /// The words in a file; `nil` if there is no file.
    package static func words(at path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maximumByteCount)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private static var maximumByteCount: Int { 1_024 }
}
