internal import Glibc

/// What tells whether a file is still as it was.
struct FileStamp: Equatable {
    /// In bytes.
    let byteCount: Int64

    /// Of the last modification, in nanoseconds since 1970.
    let modifiedAt: Int64
    let inode: UInt64

    /// Whether a name leads to it.
    let isLinked: Bool

    /// - Returns: `nil` if it can't be had, or it isn't a regular file.
    init?(descriptor: CInt) {
        var attributes = stat()
        guard unsafe fstat(descriptor, &attributes) == 0 else { return nil }
        self.init(attributes)
    }

    /// - Returns: `nil` if nothing of that name is there, or it isn't a regular file.
    init?(path: String) {
        var attributes = stat()
        guard unsafe lstat(path, &attributes) == 0 else { return nil }
        self.init(attributes)
    }

    /// - Returns: `nil` if the path leads nowhere, through links too, or to no regular file.
    init?(following path: String) {
        var attributes = stat()
        guard unsafe stat(path, &attributes) == 0 else { return nil }
        self.init(attributes)
    }

    private init?(_ attributes: stat) {
        guard attributes.st_mode & Glibc.S_IFMT == Glibc.S_IFREG else { return nil }
        byteCount = Int64(attributes.st_size)
        modifiedAt = Int64(attributes.st_mtim.tv_sec) * 1_000_000_000 + Int64(attributes.st_mtim.tv_nsec)
        inode = UInt64(attributes.st_ino)
        isLinked = attributes.st_nlink > 0
    }
}
