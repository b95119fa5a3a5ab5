internal import BookFileSystem
internal import Catalog
internal import ContentCache
internal import Glibc
internal import Log
internal import Shelf

/// Tidies up behind content that a newer one has replaced, once nobody holds it open.
///
/// Used by the follower's thread alone.
final class SupersededContent: Sendable {
    private let catalogPath: String
    private let catalog: CatalogReaders
    private let cache: ContentCache
    private let openVersions: OpenVersions
    private let releases: ReleaseQueue
    private let log: Log

    init(
        catalogPath: String, catalog: CatalogReaders, cache: ContentCache, openVersions: OpenVersions,
        releases: ReleaseQueue, log: Log
    ) {
        self.catalogPath = catalogPath
        self.catalog = catalog
        self.cache = cache
        self.openVersions = openVersions
        self.releases = releases
        self.log = log
    }

    func tidyUp() {
        do throws(CatalogError) {
            let superseded = try catalog.superseded()
            guard !superseded.isEmpty else { return releases.await([]) }
            // Awaited before the counts are looked at: a version that is closed in between is still told of.
            releases.await(Set(superseded))
            let unused = superseded.filter { !openVersions.isOpen($0) }
            guard !unused.isEmpty else { return }
            for version in unused { cache.remove(version) }
            let writer = try CatalogWriter(path: catalogPath)
            try writer.forget(unused)
        } catch {
            log.warning(
                "superseded content could not be tidied up", ["reason": .public(error.reason)],
                limitedBy: "superseded")
        }
    }
}
