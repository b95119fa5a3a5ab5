internal import BookFileSystem
internal import Catalog
internal import Glibc
internal import Log
internal import Shelf
internal import Synchronization

/// Writes to the catalog what a source says about a size that was declared wrong, before anybody gets a byte.
final class SizeCorrection: Sendable {
    private let catalogPath: String
    private let log: Log
    private let follower = Mutex<ChangeFollower?>(nil)

    init(catalogPath: String, log: Log) {
        self.catalogPath = catalogPath
        self.log = log
    }

    /// Names who tells the kernel, before anything is read.
    func follow(_ follower: ChangeFollower) {
        self.follower.withLock { $0 = follower }
    }

    /// - Returns: Whether the tree shows the new size now.
    func correct(_ version: VersionID, to byteCount: Int64) -> Bool {
        do throws(CatalogError) {
            let writer = try CatalogWriter(path: catalogPath)
            try writer.confirm(byteCount: byteCount, of: version, etag: nil, now: Now.nanoseconds)
        } catch {
            log.error("a size could not be corrected", ["reason": .public(error.reason)])
            return false
        }
        follower.withLock { $0 }?.followOnce()
        return true
    }
}
