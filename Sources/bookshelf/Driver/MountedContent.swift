internal import BookFileSystem
internal import Catalog
internal import ContentCache
internal import FUSE
internal import Glibc
internal import Log
internal import Shelf
internal import Synchronization

/// What the cache of a driver asks: the catalog, the handles of programs, and the kernel.
///
/// Lock order: `notifier` is a leaf; nothing is called while it is held.
final class MountedContent: CacheClient {
    private let catalogPath: String
    private let catalog: CatalogReaders
    private let place: CatalogPlace
    private let openVersions: OpenVersions
    private let log: Log
    private let shrunkSizes: ShrunkSizes

    /// Exists only once the cache does.
    private let notifier = Mutex<Notifier?>(nil)

    init(
        catalogPath: String, catalog: CatalogReaders, place: CatalogPlace, openVersions: OpenVersions,
        shrunkSizes: ShrunkSizes, log: Log
    ) {
        self.catalogPath = catalogPath
        self.catalog = catalog
        self.place = place
        self.openVersions = openVersions
        self.shrunkSizes = shrunkSizes
        self.log = log
    }

    /// Names the way to the kernel, before anything is read.
    func link(_ notifier: Notifier) {
        self.notifier.withLock { $0 = notifier }
    }

    func isOpen(_ version: VersionID) -> Bool { openVersions.isOpen(version) }

    func isPinned(_ version: VersionID) -> Bool {
        // Of what nobody can tell nothing is lost.
        (try? catalog.isPinned(version)) ?? true
    }

    /// Writes the size to the catalog and makes the kernel use it for the reads that wait.
    ///
    /// A file that is shorter than it was said to be is made so by the answers to the reads that wait: see ``ShrunkSizes``. One that is
    /// longer is made so in the kernel's eyes, unless its new end lies in a page that is being waited for: then the read fails, and
    /// the next is right.
    func correctSize(of version: ContentVersion, to byteCount: Int64, etag: String?) -> SizeCorrection {
        // A catalog of that name would be another one.
        guard place.missingSince == nil else { return .refused }
        let former = (try? catalog.version(version.id))?.byteCount
        do throws(CatalogError) {
            let writer = try CatalogWriter(path: catalogPath)
            try writer.confirm(byteCount: byteCount, of: version.id, etag: etag, now: Now.nanoseconds)
        } catch {
            log.error("a size could not be corrected", ["reason": .public(error.reason)])
            return .refused
        }
        guard let former, former != byteCount else { return .made }
        log.info(
            "a size was corrected",
            [
                "book": .public(version.title), "declared": .public(Int(former)), "is": .public(Int(byteCount)),
            ])
        guard let notifier = notifier.withLock({ $0 }) else { return .made }
        let inode = BookTree.inode(of: version.id)
        if byteCount < former {
            shrunkSizes.note(version.id)
            try? notifier.invalidateAttributes(of: inode)
            Self.waitForQuestions()
            shrunkSizes.release(version.id)
            return .made
        }
        let page: Int64 = 4_096
        let isPageOfItsOwn = (byteCount - 1) / page > (former - 1) / page
        try? notifier.invalidateAttributes(of: inode)
        guard isPageOfItsOwn else { return .madeForOthers { try? notifier.grow(inode, to: byteCount) } }
        do throws(Errno) {
            try notifier.grow(inode, to: byteCount)
            return .made
        } catch {
            return .refused
        }
    }

    /// Waits until the serving threads have taken whatever the kernel had asked before: they are always ready to, so that takes moments.
    private static func waitForQuestions() {
        usleep(useconds_t(20_000))
    }

    func renew(_ version: VersionID) {
        do throws(CatalogError) {
            let writer = try CatalogWriter(path: catalogPath)
            try writer.renew(version, now: Now.nanoseconds)
        } catch {
            log.error("a book could not be given another identity", ["reason": .public(error.reason)])
        }
    }

    func noteDamage(of version: ContentVersion, reason: String) {
        log.error(
            "what was on disk of a book is damaged and was removed; it is fetched again when it is read",
            [
                "book": .public(version.title), "id": .public(version.book.rawValue), "reason": .public(reason),
            ])
    }

    func dropPages(of version: VersionID) {
        try? notifier.withLock { $0 }?.invalidateContent(of: BookTree.inode(of: version))
    }
}
