internal import Catalog
internal import ContentCache
internal import Shelf

/// Which content is on disk, read once for a whole listing.
struct LocalContent {
    private let local: Set<VersionID>
    private let inPlace: InPlacePolicy

    /// In bytes.
    let byteCount: Int64
    var fileCount: Int { local.count }

    /// - Parameters:
    ///   - directory: Of the cache; one that isn't there holds nothing.
    ///   - catalog: The identity of the catalog.
    ///   - inPlace: Which content isn't there.
    init(cacheAt directory: String, ofCatalog catalog: String?, inPlace: InPlacePolicy) {
        var local: Set<VersionID> = []
        var total: Int64 = 0
        CacheListing.forEachLocal(in: directory, ofCatalog: catalog) { version, byteCount in
            local.insert(version)
            total += byteCount
        }
        self.local = local
        self.inPlace = inPlace
        byteCount = total
    }

    /// Passes every content on that is on disk, in no order.
    func forEach<Failure: Error>(_ body: (VersionID) throws(Failure) -> Void) throws(Failure) {
        for version in local { try body(version) }
    }

    func state(of book: CatalogBook) -> ContentState {
        guard let version = book.version else { return .unavailable }
        if let url = book.contentURL, let state = inPlace.state(ofURL: url, source: book.source) { return state }
        if local.contains(version) { return .local }
        return book.byteCount == nil ? .unsized : .placeholder
    }
}
