internal import FileLock
internal import SQLite

/// The database of the search index, in a directory beside the catalog: everything in it comes from the catalog and can be made anew.
///
/// Apart from the catalog, so that nobody who writes there waits for the index, and a rebuilt index just takes the place of the old one. In a directory of its own, as who follows the catalog watches all files beside it.
struct SearchIndexFile {
    let path: String

    /// Beside the catalog.
    static var name: String { "search/index.db" }

    /// Changes with the tables, and with the rules by which texts become terms.
    private static var format: Int32 { 1 }

    /// `BKSX`.
    private static var applicationID: Int32 { 0x424B_5358 }

    /// How long an opening waits while a new index is put in the place of the old one, which takes some calls of rename(2).
    private static var patience: Duration { .seconds(1) }

    /// - Parameter catalogPath: Of the catalog that is indexed.
    init(besideCatalogAt catalogPath: String) {
        let directory = catalogPath.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(catalogPath[...$0]) } ?? ""
        path = directory + Self.name
    }

    /// Makes the directory, where there is none.
    func makeDirectory() { DatabaseFile(path).makeDirectory() }

    /// Locked by whoever writes the index.
    var indexingLock: String { path + ".indexing" }

    private var openingLock: String { path + ".lock" }

    /// Where a new index grows, and where it is without the room that this took.
    private var growing: DatabaseFile { DatabaseFile(path + ".growing") }
    private var new: DatabaseFile { DatabaseFile(path + ".new") }

    /// Opens the index.
    ///
    /// - Parameters:
    ///   - access: What for.
    ///   - identity: Of the catalog; the index of another one is as good as none.
    ///   - cacheByteCount: How much memory its page cache may take.
    /// - Returns: `nil` if there is none that this program can use.
    func open(
        _ access: Connection.Access, ofCatalog identity: String?, cacheByteCount: Int
    ) -> Connection? {
        guard DatabaseFile(path).byteCount ?? 0 > 0,
            let opening = try? FileLock(openingLock, .shared, waitingAtMost: Self.patience)
        else { return nil }
        defer { opening.holdUntilHere() }
        guard let connection = try? Connection(path, access: access, busyTimeout: .seconds(5)) else { return nil }
        do throws(SQLiteError) {
            try connection.setCache(byteCount: cacheByteCount)
            guard try connection.number("PRAGMA user_version") == Self.format,
                try IndexProperty.text(.identity, on: connection) == identity,
                try IndexProperty.text(.rules, on: connection) == SearchIndexSchema.rules
            else { return nil }
        } catch {
            return nil
        }
        return connection
    }

    /// Up to where the changes of a catalog are in the index; `nil` if there is none of it.
    func anchor(ofCatalog identity: String?) -> SyncAnchor? {
        guard let index = open(.read, ofCatalog: identity, cacheByteCount: 64 << 10) else { return nil }
        return (try? IndexProperty.number(.anchor, on: index)).map(SyncAnchor.init(rawValue:))
    }

    /// Removes an index that can't be read.
    func remove() { DatabaseFile(path).remove() }

    /// Makes a new index and puts it in the place of the one that is there.
    ///
    /// Who has that one open goes on with it, and finds at the next look that it has lost its name.
    ///
    /// - Parameter fill: Fills it; in no transaction.
    /// - Throws: ``SQLiteError``; the index is then as it was.
    func replace(
        _ fill: (borrowing Connection) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        defer {
            growing.remove()
            new.remove()
        }
        try grow(fill)
        // Before the lock is taken: this is what takes time.
        try new.makeDurable()
        guard let opening = try? FileLock(openingLock, .exclusive, waitingAtMost: .seconds(60)) else {
            throw SQLiteError.busy(waitingFor: openingLock)
        }
        defer { opening.holdUntilHere() }
        let former = DatabaseFile(path + ".old")
        former.remove()
        try new.replace(DatabaseFile(path), keptAs: former)
        former.remove()
    }

    private func grow(_ fill: (borrowing Connection) throws(SQLiteError) -> Void) throws(SQLiteError) {
        growing.remove()
        new.remove()
        let connection = try Connection(growing.path, access: .create)
        // Nobody sees it before it is whole, and what a crash leaves is thrown away.
        try connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        try connection.setCache(byteCount: 16 << 20)
        try connection.execute(SearchIndexSchema.tables)
        try fill(connection)
        try IndexProperty.set(.rules, .text(SearchIndexSchema.rules), on: connection)
        try connection.setVersion(Self.format, applicationID: Self.applicationID)
        // What was merged has left room, nearly half of the file. The new file is there before, so that it is its owner's alone.
        let packed = try Connection(new.path, access: .create)
        try connection.run("VACUUM INTO ?1", .text(new.path))
        growing.remove()
        try packed.execute("PRAGMA journal_mode = WAL")
    }
}
