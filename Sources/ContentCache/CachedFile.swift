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

    /// Whether nobody has changed the file since it was verified; it may have been removed.
    package var isUnchanged: Bool {
        guard let stamp, let now = FileStamp(descriptor: descriptor) else { return false }
        return stamp.byteCount == now.byteCount && stamp.modifiedAt == now.modifiedAt
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
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let now = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        let last = notedAt.load(ordering: .relaxed)
        let (seconds, attoseconds) = interval.components
        guard last == 0 || now - last >= seconds * 1_000_000_000 + attoseconds / 1_000_000_000,
            notedAt.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
        else { return }
        // By the clock itself: the kernel's own "now" is the same for several milliseconds. That the other time stays is UTIME_OMIT
        // of <bits/stat.h>, a macro that Swift doesn't see.
        var today = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &today)
        let times = [today, timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)]
        _ = unsafe futimens(descriptor, times)
    }
}
