internal import Catalog
internal import ContentCache
internal import Shelf

/// Which content is on disk, read once for a whole listing.
struct LocalContent {
    private var local: Set<VersionID> = []

    /// In bytes.
    private(set) var byteCount: Int64 = 0
    var fileCount: Int { local.count }

    /// - Parameters:
    ///   - directory: Of the cache; one that isn't there holds nothing.
    ///   - catalog: The identity of the catalog.
    init(cacheAt directory: String, ofCatalog catalog: String?) {
        var found = self
        CacheListing.forEachLocal(in: directory, ofCatalog: catalog) { version, byteCount in
            found.local.insert(version)
            found.byteCount += byteCount
        }
        self = found
    }

    /// Passes every content on that is on disk, in no order.
    func forEach<Failure: Error>(_ body: (VersionID) throws(Failure) -> Void) throws(Failure) {
        for version in local { try body(version) }
    }

    func state(of book: CatalogBook) -> ContentState {
        guard let version = book.version else { return .unavailable }
        if local.contains(version) { return .local }
        return book.byteCount == nil ? .unsized : .placeholder
    }
}
