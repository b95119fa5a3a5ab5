internal import Catalog
internal import ContentCache
internal import Shelf

/// What the cache of a command asks while no driver runs: nobody has anything open.
struct UnmountedContent: CacheClient {
    let catalogPath: String
    private let catalog: CatalogReaders?

    init(catalogPath: String) {
        self.catalogPath = catalogPath
        catalog = try? CatalogReaders(path: catalogPath, count: 1)
    }

    func isOpen(_ version: VersionID) -> Bool { false }

    func isPinned(_ version: VersionID) -> Bool {
        // Of what nobody can tell nothing is lost.
        (try? catalog?.isPinned(version)) ?? true
    }

    func correctSize(of version: ContentVersion, to byteCount: Int64, etag: String?) -> SizeCorrection {
        do throws(CatalogError) {
            try CatalogWriter(path: catalogPath)
                .confirm(byteCount: byteCount, of: version.id, etag: etag, now: Now.nanoseconds)
            return .made
        } catch {
            return .refused
        }
    }

    func renew(_ version: VersionID) {}

    func dropPages(of version: VersionID) {}
}
