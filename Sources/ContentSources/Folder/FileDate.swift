internal import Glibc

/// By what it is seen that a file was changed.
struct FileDate: Equatable {
    let inode: UInt64

    /// In bytes.
    let byteCount: Int64

    /// In nanoseconds since 1970.
    let modifiedAt: Int64

    /// Looks at a file; `nil` unless it is a regular one.
    init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        inode = UInt64(status.st_ino)
        byteCount = Int64(status.st_size)
        modifiedAt = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }
}
