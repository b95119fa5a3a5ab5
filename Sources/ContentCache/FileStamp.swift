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

    /// Of the last use, in nanoseconds since 1970, as ``CachedFile/noteUse(atMostEvery:)`` notes it.
    let usedAt: Int64

    /// What it takes on the disk, in bytes.
    let allocatedByteCount: Int64

    /// Whether a file is still as it was; when it was used says nothing about that.
    static func == (left: FileStamp, right: FileStamp) -> Bool {
        left.byteCount == right.byteCount && left.modifiedAt == right.modifiedAt && left.inode == right.inode
            && left.isLinked == right.isLinked
    }

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
        modifiedAt = attributes.st_mtim.nanoseconds
        inode = UInt64(attributes.st_ino)
        usedAt = max(modifiedAt, attributes.st_atim.nanoseconds)
        allocatedByteCount = Int64(attributes.st_blocks) * 512
        isLinked = attributes.st_nlink > 0
    }
}
