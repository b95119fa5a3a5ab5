internal import Catalog
internal import ContentCache
internal import Shelf

/// Which content is on disk, read once for a whole listing.
struct LocalContent {
    private let states: [VersionID: ContentState]

    /// - Parameter directory: Of the cache; one that isn't there holds nothing.
    init(cacheAt directory: String) {
        var states: [VersionID: ContentState] = [:]
        CacheListing.forEach(in: directory) { version, state in states[version] = state }
        self.states = states
    }

    func state(of book: CatalogBook) -> ContentState {
        guard let version = book.version else { return .unavailable }
        if let state = states[version] { return state }
        return book.byteCount == nil ? .unsized : .placeholder
    }
}
