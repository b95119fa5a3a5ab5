internal import SQLite
package import Shelf
internal import Synchronization
internal import TextForms

/// The read connections of a process: one for each thread that asks at the same time.
///
/// Lock order: a reader's mutex is a leaf; nothing is called with it held but SQLite and the caller's row closure, which
/// must not call back.
package final class CatalogReaders: Sendable {
    private let path: String
    private let slots: [Slot]

    /// Searches at the same time; a further one waits for another to end.
    private let searches: [SearchSlot]

    /// Where the next search for a free reader begins.
    private let next = Atomic<Int>(0)

    private final class SearchSlot: Sendable {
        let search: Mutex<ShelfSearch>

        init(path: String) {
            search = Mutex(ShelfSearch(catalogPath: path))
        }
    }

    private final class Slot: Sendable {
        let reader: Mutex<TreeReader>

        init(path: String) throws(CatalogError) {
            reader = Mutex(try TreeReader(path: path))
        }
    }

    /// Opens an existing catalog.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - count: How many threads ask at the same time; a further one waits for another to end.
    /// - Throws: ``CatalogError``.
    package init(path: String, count: Int) throws(CatalogError) {
        self.path = path
        var slots: [Slot] = []
        for _ in 0..<max(1, count) { slots.append(try Slot(path: path)) }
        self.slots = slots
        searches = (0..<2).map { _ in SearchSlot(path: path) }
    }

    /// Lends a reader that nobody else uses.
    private func withReader<Success: Sendable>(
        _ body: (inout TreeReader) throws(SQLiteError) -> Success
    ) throws(CatalogError) -> Success {
        let start = next.wrappingAdd(1, ordering: .relaxed).newValue
        var result: Result<Success, SQLiteError>?
        for offset in 0..<slots.count {
            let slot = slots[Int(UInt(bitPattern: start &+ offset) % UInt(slots.count))]
            result = slot.reader.withLockIfAvailable { reader in
                Result { () throws(SQLiteError) in try body(&reader) }
            }
            if result != nil { break }
        }
        let outcome =
            result
            ?? slots[Int(UInt(bitPattern: start) % UInt(slots.count))].reader.withLock { reader in
                Result { () throws(SQLiteError) in try body(&reader) }
            }
        do throws(SQLiteError) { return try outcome.get() } catch { throw CatalogError(error) }
    }

    /// Finds what stands under `name` in a directory.
    ///
    /// - Returns: `nil` if nothing does; names are compared byte for byte.
    /// - Throws: ``CatalogError``.
    package func lookup(_ name: String, in directory: DirectoryID) throws(CatalogError) -> Node? {
        let folded = name.foldedForComparison
        return try withReader { (reader) throws(SQLiteError) in
            try reader.lookup(name, folded: folded, in: directory)
        }
    }

    /// The attributes of a directory; `nil` if it is gone.
    ///
    /// - Throws: ``CatalogError``.
    package func directory(_ id: DirectoryID) throws(CatalogError) -> DirectoryAttributes? {
        try withReader { (reader) throws(SQLiteError) in try reader.directory(id) }
    }

    /// The attributes of a version, superseded ones included; `nil` if it is gone.
    ///
    /// - Throws: ``CatalogError``.
    package func version(_ id: VersionID) throws(CatalogError) -> VersionAttributes? {
        try withReader { (reader) throws(SQLiteError) in try reader.version(id) }
    }

    /// What the content cache needs to know of a version; `nil` if it is gone.
    ///
    /// - Throws: ``CatalogError``.
    package func content(_ id: VersionID) throws(CatalogError) -> ContentVersion? {
        try withReader { (reader) throws(SQLiteError) in try reader.content(id) }
    }

    /// Passes the entries of a directory on, in the order of their positions.
    ///
    /// A position stays that of its entry, so a listing that goes on from one skips and repeats nothing that stays.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - position: The entries behind it are passed on; 0 for all.
    ///   - includesAttributes: Whether the nodes come with their attributes.
    ///   - body: Gets the position, the name and the node; returns whether to go on.
    /// - Throws: ``CatalogError``.
    package func list(
        _ directory: DirectoryID, after position: Int64, includesAttributes: Bool,
        _ body: (Int64, Span<UInt8>, ListedNode) -> Bool
    ) throws(CatalogError) {
        try withReader { (reader) throws(SQLiteError) in
            try reader.list(directory, after: position, includesAttributes: includesAttributes, body)
        }
    }

    /// The books of the shelf that fit what somebody typed, best first, with names of which no two are the same.
    ///
    /// Takes as long as a search and a look at what it found.
    ///
    /// - Parameters:
    ///   - query: What was typed.
    ///   - limit: How many at most.
    /// - Returns: The entries of a directory of them; none where there is no index yet.
    /// - Throws: ``CatalogError``.
    package func search(_ query: SearchQuery, limit: Int) throws(CatalogError) -> [FoundEntry] {
        var result: Result<[FoundEntry], CatalogError>?
        for slot in searches {
            result = slot.search.withLockIfAvailable { search in
                Result { () throws(CatalogError) in try search.find(query, limit: limit) }
            }
            if result != nil { break }
        }
        let outcome =
            result
            ?? searches[0].search.withLock { search in
                Result { () throws(CatalogError) in try search.find(query, limit: limit) }
            }
        return try outcome.get()
    }

    /// Whether the search index doesn't hold every book as it is.
    ///
    /// - Returns: `false` also where that can't be said.
    package func isIndexBehind() -> Bool {
        let file = SearchIndexFile(besideCatalogAt: path)
        guard let identity = try? identity(), let now = try? anchor() else { return false }
        return file.anchor(ofCatalog: identity) != now
    }

    /// Where a directory stands, relative to the mount point; `nil` if it is gone.
    ///
    /// - Throws: ``CatalogError``.
    package func path(of directory: DirectoryID) throws(CatalogError) -> String? {
        try withReader { (reader) throws(SQLiteError) in try reader.path(of: directory) }
    }

    /// Passes every directory but the root on, with the one that it stands in and its name.
    ///
    /// - Throws: ``CatalogError``.
    package func forEachDirectory(
        _ body: (_ directory: DirectoryID, _ parent: DirectoryID, _ name: String) -> Void
    ) throws(CatalogError) {
        try withReader { (reader) throws(SQLiteError) in try reader.forEachDirectory(body) }
    }

    /// What tells this catalog from every other.
    ///
    /// - Throws: ``CatalogError``.
    package func identity() throws(CatalogError) -> String? {
        try withReader { (reader) throws(SQLiteError) in try reader.identity() }
    }

    /// The sources in the order in which they were added.
    ///
    /// - Throws: ``CatalogError``.
    package func sources() throws(CatalogError) -> [Source] {
        try withReader { (reader) throws(SQLiteError) in try reader.sources() }
    }

    /// What the shelf holds: bytes and files.
    ///
    /// - Throws: ``CatalogError``.
    package func statistics() throws(CatalogError) -> (byteCount: Int64, fileCount: Int64) {
        try withReader { (reader) throws(SQLiteError) in try reader.statistics() }
    }

    /// Where the change history stands now.
    ///
    /// - Throws: ``CatalogError``.
    package func anchor() throws(CatalogError) -> SyncAnchor {
        try withReader { (reader) throws(SQLiteError) in try reader.anchor() }
    }

    /// What changed since an anchor.
    ///
    /// - Parameters:
    ///   - anchor: Where the last batch ended.
    ///   - limit: How many changes at most.
    /// - Returns: In the order in which they happened.
    /// - Throws: ``CatalogError``.
    package func changes(after anchor: SyncAnchor, limit: Int = 1_000) throws(CatalogError) -> ChangeBatch {
        try withReader { (reader) throws(SQLiteError) in try reader.changes(after: anchor, limit: limit) }
    }

    /// The book of a version, as the extended attributes show it; `nil` if it is gone.
    ///
    /// - Throws: ``CatalogError``.
    package func book(of version: VersionID) throws(CatalogError) -> CatalogBook? {
        try withReader { (reader) throws(SQLiteError) in try reader.book(of: version) }
    }

    /// Whether a version is the current content of a book that is pinned.
    ///
    /// - Throws: ``CatalogError``.
    package func isPinned(_ version: VersionID) throws(CatalogError) -> Bool {
        try withReader { (reader) throws(SQLiteError) in try reader.isPinned(version) }
    }

    /// The current contents of the books on the shelf that are pinned.
    ///
    /// - Throws: ``CatalogError``.
    package func pinned() throws(CatalogError) -> [VersionID] {
        try withReader { (reader) throws(SQLiteError) in try reader.pinned() }
    }

    /// The versions that wait to be forgotten once nobody holds them open.
    ///
    /// - Throws: ``CatalogError``.
    package func superseded(limit: Int = 1_000) throws(CatalogError) -> [VersionID] {
        try withReader { (reader) throws(SQLiteError) in try reader.superseded(limit: limit) }
    }
}
