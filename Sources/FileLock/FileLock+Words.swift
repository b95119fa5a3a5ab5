internal import Glibc

/// The words in a file that is there to be locked.
extension FileLock {
    private static var maximumByteCount: Int { 1_024 }

    /// Whether the locked file has a name still: while one waited for the lock, another process may have removed it.
    package borrowing func isOf(_ path: String) -> Bool {
        var its = stat()
        var named = stat()
        return unsafe fstat(descriptor, &its) == 0 && stat(path, &named) == 0 && its.st_ino == named.st_ino
            && its.st_dev == named.st_dev
    }

    /// Removes the file; whoever waits for its lock finds that it has no name any more.
    package borrowing func remove(_ path: String) {
        if isOf(path) { unsafe unlink(path) }
    }

    /// Writes words into the locked file in place of those that it has.
    ///
    /// A full disk keeps only the new ones from it.
    ///
    /// - Throws: ``Failure/unusable(number:)`` if the old ones stay.
    package borrowing func replaceWords(by words: String) throws(Failure) {
        guard ftruncate(descriptor, 0) == 0 else { throw .unusable(number: errno) }
        Self.write(words, to: descriptor)
    }

    /// Makes a file with words in it; one that is there keeps those that it has.
    package static func make(_ path: String, words: String) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        write(words, to: descriptor)
        close(descriptor)
    }

    /// The words in a file; `nil` if there is no file.
    package static func words(at path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maximumByteCount)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private static func write(_ words: String, to descriptor: Int32) {
        let bytes = Array(words.utf8.prefix(maximumByteCount))
        unsafe pwrite(descriptor, bytes, bytes.count, 0)
    }
}
