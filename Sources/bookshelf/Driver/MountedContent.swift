internal import BookFileSystem
internal import Catalog
internal import ContentCache
internal import FUSE
internal import Log
internal import Shelf
internal import Synchronization

/// What the cache of a driver asks: the catalog, the handles of programs, and the kernel.
///
/// Lock order: `links` is a leaf; nothing is called while it is held.
final class MountedContent: CacheClient {
    /// What exists only once the cache does.
    private struct Links {
        var notifier: Notifier?
        var cache: ContentCache?
    }

    private let catalogPath: String
    private let catalog: CatalogReaders
    private let place: CatalogPlace
    private let openVersions: OpenVersions
    private let log: Log
    private let links = Mutex(Links())

    init(
        catalogPath: String, catalog: CatalogReaders, place: CatalogPlace, openVersions: OpenVersions, log: Log
    ) {
        self.catalogPath = catalogPath
        self.catalog = catalog
        self.place = place
        self.openVersions = openVersions
        self.log = log
    }

    /// Names the way to the kernel, and the cache, before anything is read.
    func link(_ notifier: Notifier, _ cache: ContentCache) {
        links.withLock { $0 = Links(notifier: notifier, cache: cache) }
    }

    func isOpen(_ version: VersionID) -> Bool { openVersions.isOpen(version) }

    func isPinned(_ version: VersionID) -> Bool {
        // Of what nobody can tell nothing is lost.
        (try? catalog.isPinned(version)) ?? true
    }

    /// Writes the size to the catalog and makes the kernel use it for the reads that wait.
    ///
    /// A file that is shorter than it was said to be needs nothing: the kernel takes an answer that ends early for the end of
    /// the file, unless it was told a size after it had asked. One that is longer is made so in the kernel's eyes, unless its new
    /// end lies in a page that is being waited for. In both cases that are left out the read fails, and the next is right.
    func correctSize(of version: ContentVersion, to byteCount: Int64, etag: String?) -> Bool {
        // A catalog of that name would be another one.
        guard place.missingSince == nil else { return false }
        let former = (try? catalog.version(version.id))?.byteCount
        do throws(CatalogError) {
            let writer = try CatalogWriter(path: catalogPath)
            try writer.confirm(byteCount: byteCount, of: version.id, etag: etag, now: Now.nanoseconds)
        } catch {
            log.error("a size could not be corrected", ["reason": .public(error.reason)])
            return false
        }
        guard let former, former != byteCount else { return true }
        log.info(
            "a size was corrected",
            [
                "book": .public(version.title), "declared": .public(Int(former)), "is": .public(Int(byteCount)),
            ])
        let links = links.withLock { $0 }
        guard let notifier = links.notifier, let cache = links.cache else { return true }
        if byteCount < former { return !cache.wasShown(version.id) }
        let page: Int64 = 4_096
        let isPageOfItsOwn = (byteCount - 1) / page > (former - 1) / page
        let inode = BookTree.inode(of: version.id)
        try? notifier.invalidateAttributes(of: inode)
        guard isPageOfItsOwn, (try? notifier.grow(inode, to: byteCount)) != nil else { return false }
        return true
    }

    func renew(_ version: VersionID) {
        do throws(CatalogError) {
            let writer = try CatalogWriter(path: catalogPath)
            try writer.renew(version, now: Now.nanoseconds)
        } catch {
            log.error("a book could not be given another identity", ["reason": .public(error.reason)])
        }
    }

    func dropPages(of version: VersionID) {
        try? links.withLock { $0.notifier }?.invalidateContent(of: BookTree.inode(of: version))
    }
}
