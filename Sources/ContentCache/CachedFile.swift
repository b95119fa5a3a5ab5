internal import Glibc

/// A file with content, open for reading; it closes with its last reference.
///
/// It stays readable when the cache removes it meanwhile: that removes the name.
package final class CachedFile: Sendable {
    /// Borrowed by readers for as long as they hold the object; never close it.
    package let descriptor: Int32

    /// Of the whole content, in bytes, also while not all of it has arrived.
    package let byteCount: Int64

    /// Whether it is whole and verified, so that any range of it may be read.
    package let isWhole: Bool

    /// What it was when it was verified; `nil` for one that is still arriving.
    let stamp: FileStamp?

    /// 64 lower-case hexadecimal digits; `nil` for one that is still arriving.
    package let sha256: String?

    /// A file that is whole.
    init(_ file: consuming Descriptor, _ stamp: FileStamp, sha256: String) {
        descriptor = file.release()
        byteCount = stamp.byteCount
        isWhole = true
        self.stamp = stamp
        self.sha256 = sha256
    }

    /// A file that is still arriving.
    init(arriving file: consuming Descriptor, byteCount: Int64) {
        descriptor = file.release()
        self.byteCount = byteCount
        isWhole = false
        stamp = nil
        sha256 = nil
    }

    deinit {
        close(descriptor)
    }

    /// The number of the file where it is kept; `nil` for one that is still arriving.
    package var inode: UInt64? { stamp?.inode }

    /// Whether nobody has changed the file since it was verified; it may have been removed.
    package var isUnchanged: Bool {
        guard let stamp, let now = FileStamp(descriptor: descriptor) else { return false }
        return stamp.byteCount == now.byteCount && stamp.modifiedAt == now.modifiedAt
    }

    /// Whether nobody has changed or removed the file since it was verified.
    var isIntact: Bool {
        guard let stamp, let now = FileStamp(descriptor: descriptor) else { return false }
        return stamp == now && now.isLinked
    }
}
