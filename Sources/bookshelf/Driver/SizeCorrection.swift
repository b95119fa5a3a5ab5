internal import Catalog
internal import Glibc
internal import Log
internal import Shelf
internal import Synchronization

/// Writes to the catalog what a source says about a size that was declared wrong, before anybody gets a byte.
final class SizeCorrection: Sendable {
    private let catalogPath: String
    private let log: Log
    private let tellKernel = Mutex<(@Sendable (VersionID) -> Void)?>(nil)

    init(catalogPath: String, log: Log) {
        self.catalogPath = catalogPath
        self.log = log
    }

    /// Names who makes the kernel ask for attributes again, before anything is read.
    ///
    /// It must not wait for requests in progress: a correction may be made by one of them.
    func tell(_ tellKernel: @escaping @Sendable (VersionID) -> Void) {
        self.tellKernel.withLock { $0 = tellKernel }
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
        tellKernel.withLock { $0 }?(version)
        return true
    }
}
