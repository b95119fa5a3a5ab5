internal import CFuse3
internal import Glibc

/// The number by which the kernel and the file system name a file or directory.
package struct Inode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The directory at the mount point.
    ///
    /// libfuse: `FUSE_ROOT_ID`.
    package static var root: Inode { Inode(rawValue: 1) }
}

/// What an inode is; the two kinds that a read-only file system of this package has.
package enum FileKind: Sendable, Hashable {
    case regularFile, directory

    /// The bits of `st_mode` that tell the kind.
    var modeBits: mode_t {
        switch self {
        case .regularFile: Glibc.S_IFREG
        case .directory: Glibc.S_IFDIR
        }
    }
}

/// An instant, in seconds and nanoseconds since 1970 UTC.
package struct Timestamp: Hashable, Sendable {
    package let seconds: Int64

    /// From 0 to 999,999,999.
    package let nanoseconds: Int32

    package init(seconds: Int64, nanoseconds: Int32 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    fileprivate var value: timespec { timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds)) }
}

/// What stat(2) reports about an inode.
package struct Attributes: Sendable, Hashable {
    package var inode: Inode
    package var kind: FileKind

    /// The lower twelve bits of `st_mode`.
    package var permissions: UInt16

    /// In bytes; the number of blocks is this, rounded up, because tools take few blocks for holes.
    package var byteCount: Int64
    package var linkCount: UInt32

    /// The owner's user and group.
    package var userID: UInt32
    package var groupID: UInt32

    /// `st_mtime`: of the content.
    package var modifiedAt: Timestamp

    /// `st_ctime`: of name, size or links.
    package var changedAt: Timestamp

    /// `st_atime`: of the last read.
    package var accessedAt: Timestamp

    package init(
        inode: Inode, kind: FileKind, permissions: UInt16, byteCount: Int64, linkCount: UInt32 = 1,
        userID: UInt32, groupID: UInt32, modifiedAt: Timestamp, changedAt: Timestamp, accessedAt: Timestamp
    ) {
        self.inode = inode
        self.kind = kind
        self.permissions = permissions
        self.byteCount = byteCount
        self.linkCount = linkCount
        self.userID = userID
        self.groupID = groupID
        self.modifiedAt = modifiedAt
        self.changedAt = changedAt
        self.accessedAt = accessedAt
    }

    /// The attributes in the C layout.
    var status: stat {
        var status = stat()
        status.st_ino = UInt(inode.rawValue)
        status.st_mode = kind.modeBits | mode_t(permissions & 0o7777)
        status.st_nlink = UInt(linkCount)
        status.st_uid = userID
        status.st_gid = groupID
        status.st_size = Int(byteCount)
        status.st_blksize = 4096
        status.st_blocks = Int((byteCount + 511) / 512)
        status.st_mtim = modifiedAt.value
        status.st_ctim = changedAt.value
        status.st_atim = accessedAt.value
        return status
    }
}
