internal import Glibc
internal import Synchronization

/// A log file that several processes append to, and that any of them puts aside when it has grown large.
///
/// The file is 0600. A line is one `write(2)` on a descriptor opened with `O_APPEND`, so lines of several processes
/// never mix. One older file is kept, as `PATH.1`.
///
/// Lock order: nothing is called while the state is locked but the kernel.
/// Invariant: the descriptor is open from init to deinit. Of several processes only the holder of flock(2) on the file at
/// `path` moves it; the others write on meanwhile, never waiting.
@safe package final class LogFile: LogSink {
    /// What is open: which file that is tells whether another process has moved it.
    private struct OpenFile {
        let descriptor: CInt
        let device: dev_t
        let inode: ino_t
        let isRegular: Bool
    }

    private let path: String
    private let maximumByteCount: Int64
    private let file: Mutex<OpenFile>

    /// Opens the file, and makes it where there is none; its directory must exist.
    ///
    /// - Parameters:
    ///   - path: Not a symbolic link.
    ///   - maximumByteCount: The file is put aside before a line that would make it larger.
    /// - Throws: ``LogError`` if the file can't be opened for appending.
    package init(path: String, maximumByteCount: Int64 = 8 << 20) throws(LogError) {
        self.path = path
        self.maximumByteCount = maximumByteCount
        file = Mutex(try LogFile.open(path))
    }

    deinit {
        file.withLock { _ = close($0.descriptor) }
    }

    package func write(_ line: [UInt8]) {
        file.withLock { file in
            if file.isRegular {
                reopenIfMoved(&file)
                moveIfLarge(&file, for: Int64(line.count))
            }
            var result: Int
            repeat {
                result = unsafe line.withUnsafeBytes { unsafe Glibc.write(file.descriptor, $0.baseAddress, $0.count) }
            } while result < 0 && errno == EINTR
        }
    }

    /// Follows the name, where another process has put the file aside or somebody has removed it.
    private func reopenIfMoved(_ file: inout OpenFile) {
        var named = stat()
        if unsafe lstat(path, &named) == 0, named.st_dev == file.device, named.st_ino == file.inode { return }
        replace(&file)
    }

    /// Puts the file aside, if the next line would make it too large and no other process is doing so.
    private func moveIfLarge(_ file: inout OpenFile, for byteCount: Int64) {
        var status = stat()
        guard unsafe fstat(file.descriptor, &status) == 0, status.st_size > 0,
            Int64(status.st_size) + byteCount > maximumByteCount, flock(file.descriptor, LOCK_EX | LOCK_NB) == 0
        else { return }
        defer { flock(file.descriptor, LOCK_UN) }

        // Between the last look and the lock another process may have been faster.
        var named = stat()
        guard unsafe lstat(path, &named) == 0, named.st_ino == file.inode, named.st_dev == file.device else { return }
        if unsafe rename(path, path + ".1") == 0 { replace(&file) }
    }

    /// Opens what the name stands for now; without success, the old file is kept.
    private func replace(_ file: inout OpenFile) {
        guard let newer = try? LogFile.open(path) else { return }
        close(file.descriptor)
        file = newer
    }

    private static func open(_ path: String) throws(LogError) -> OpenFile {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK
        let descriptor = unsafe Glibc.open(path, flags, 0o600)
        guard descriptor >= 0 else { throw LogError(path: path, errorNumber: errno) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            let errorNumber = errno
            close(descriptor)
            throw LogError(path: path, errorNumber: errorNumber)
        }
        let isRegular = status.st_mode & S_IFMT == S_IFREG
        if isRegular, status.st_mode & 0o077 != 0 { fchmod(descriptor, 0o600) }
        return OpenFile(descriptor: descriptor, device: status.st_dev, inode: status.st_ino, isRegular: isRegular)
    }
}
