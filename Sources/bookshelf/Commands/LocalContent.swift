internal import Catalog
internal import ContentCache
internal import Shelf

/// Which content is on disk, read once for a whole listing.
struct LocalContent {
    private var local: Set<VersionID> = []

    /// In bytes.
    private(set) var byteCount: Int64 = 0
    var fileCount: Int { local.count }

    /// - Parameter directory: Of the cache; one that isn't there holds nothing.
    init(cacheAt directory: String) {
        var found = self
        CacheListing.forEachLocal(in: directory) { version, byteCount in
            found.local.insert(version)
            found.byteCount += byteCount
        }
        self = found
    }

    func state(of book: CatalogBook) -> ContentState {
        guard let version = book.version else { return .unavailable }
        if local.contains(version) { return .local }
        return book.byteCount == nil ? .unsized : .placeholder
    }
}
