internal import Glibc
internal import Synchronization

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

    /// Whether it is in memory and never was on disk.
    let isInMemory: Bool

    /// When its use was last noted, in nanoseconds of the monotonic clock.
    private let notedAt = Atomic<Int64>(0)

    private let isDamaged = Atomic<Bool>(false)

    /// A file that is whole.
    init(_ file: consuming Descriptor, _ stamp: FileStamp, sha256: String, isInMemory: Bool = false) {
        descriptor = file.release()
        byteCount = stamp.byteCount
        isWhole = true
        self.isInMemory = isInMemory
        self.stamp = stamp
        self.sha256 = sha256
    }

    /// A file that is still arriving.
    init(arriving file: consuming Descriptor, byteCount: Int64) {
        descriptor = file.release()
        self.byteCount = byteCount
        isWhole = false
        isInMemory = false
        stamp = nil
        sha256 = nil
    }

    deinit {
        close(descriptor)
    }

    /// The number of the file where it is kept; `nil` for one that is still arriving.
    package var inode: UInt64? { stamp?.inode }

    /// Whether the file still is what was verified, as far as anybody knows; it may have been removed.
    package var isUnchanged: Bool {
        guard !isDamaged.load(ordering: .acquiring), let stamp, let now = FileStamp(descriptor: descriptor) else {
            return false
        }
        return stamp.byteCount == now.byteCount && stamp.modifiedAt == now.modifiedAt
    }

    /// Notes that it isn't what was verified, although size and date say so.
    func noteDamaged() {
        isDamaged.store(true, ordering: .releasing)
    }

    /// Whether nobody has changed or removed the file since it was verified.
    var isIntact: Bool {
        guard let stamp, let now = FileStamp(descriptor: descriptor) else { return false }
        return stamp == now && (now.isLinked || isInMemory)
    }

    /// Writes down that it is used now, as its time of last access: that survives whoever serves it.
    ///
    /// Its time of modification stays, since that tells whether it is as it was.
    ///
    /// - Parameter interval: Nothing happens if that was written down within it.
    func noteUse(atMostEvery interval: Duration) {
        let now = timespec(of: CLOCK_MONOTONIC).nanoseconds
        let last = notedAt.load(ordering: .relaxed)
        let (seconds, attoseconds) = interval.components
        guard last == 0 || now - last >= seconds * 1_000_000_000 + attoseconds / 1_000_000_000,
            notedAt.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
        else { return }
        // By the clock itself, which is finer than the kernel's own.
        let times = [timespec(of: CLOCK_REALTIME), timespec.omitted]
        _ = unsafe futimens(descriptor, times)
    }
}
