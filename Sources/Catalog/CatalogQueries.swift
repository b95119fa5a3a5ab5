internal import SQLite
package import Shelf
internal import TextForms

/// The one connection by which a command reads the catalog.
package struct CatalogQueries: ~Copyable {
    private let path: String
    private let connection: Connection
    private var books: BookQuery
    private var contents: ContentQuery
    private var search: CatalogSearch

    /// Opens an existing catalog.
    ///
    /// - Throws: ``CatalogError``.
    package init(path: String) throws(CatalogError) {
        let connection = try CatalogFile.openForReading(path, pageCacheByteCount: 8 << 20)
        let books = try translating { () throws(SQLiteError) in try BookQuery(on: connection) }
        let contents = try translating { () throws(SQLiteError) in try ContentQuery(on: connection) }
        // A throw must find either nothing or everything initialised.
        self.path = path
        self.connection = connection
        self.books = books
        self.contents = contents
        search = CatalogSearch(catalogPath: path, cacheByteCount: 2 << 20)
    }

    /// Passes every book that no source has revoked on, by number, one in memory at a time.
    ///
    /// - Throws: ``CatalogError``.
    package mutating func forEachBook(_ body: (CatalogBook) -> Void) throws(CatalogError) {
        try translating { () throws(SQLiteError) in try books.forEach(body) }
    }

    /// The book of a number; `nil` if there is none or it was revoked.
    ///
    /// - Throws: ``CatalogError``.
    package mutating func book(_ id: BookID) throws(CatalogError) -> CatalogBook? {
        try translating { () throws(SQLiteError) in try books.book(id) }
    }

    /// The book that stands at a path relative to the mount point.
    ///
    /// - Parameter path: The names on the way, and its own.
    /// - Returns: `nil` if no book stands there.
    /// - Throws: ``CatalogError``.
    package mutating func book(at path: [String]) throws(CatalogError) -> CatalogBook? {
        var found: BookID?
        try translating { () throws(SQLiteError) in
            var directory = DirectoryID.root
            var step = try Statement("SELECT id FROM directory WHERE parent = ?1 AND name = ?2", on: connection)
            for name in path.dropLast() {
                var next: DirectoryID?
                try step.forEachRow([.integer(directory.rawValue), .text(name)]) { (row) throws(SQLiteError) in
                    next = DirectoryID(rawValue: row.integer(at: 0))
                }
                guard let next else { return }
                directory = next
            }
            guard let name = path.last else { return }
            var select = try Statement(
                "SELECT book FROM dentry WHERE directory = ?1 AND folded = ?2 AND name = ?3", on: connection)
            try select.forEachRow([
                .integer(directory.rawValue), .text(name.foldedForComparison), .text(name),
            ]) { (row) throws(SQLiteError) in
                found = BookID(rawValue: row.integer(at: 0))
            }
        }
        guard let found else { return nil }
        return try book(found)
    }

    /// The books that fit what somebody typed, best first, as far as the index knows them.
    ///
    /// - Parameters:
    ///   - query: What was typed.
    ///   - includesUnpurchased: Whether those that aren't purchased come behind those that are.
    ///   - limit: How many at most; `nil` for all.
    ///   - countsAll: Whether the total is asked for where there may be more, which takes longer than to find the best.
    /// - Returns: Their numbers, and how many there are in all; nothing where there is no index yet.
    /// - Throws: ``CatalogError``.
    package mutating func search(
        _ query: SearchQuery, includesUnpurchased: Bool, limit: Int? = nil, countsAll: Bool = true
    ) throws(CatalogError) -> FoundBooks {
        try search.find(query, includesUnpurchased: includesUnpurchased, limit: limit, countsAll: countsAll)
    }

    /// How many books the search index doesn't hold as they are.
    ///
    /// - Throws: ``CatalogError``.
    package func pendingIndexCount() throws(CatalogError) -> Int {
        try translating { () throws(SQLiteError) in
            let anchor = SearchIndexFile(besideCatalogAt: path)
                .anchor(ofCatalog: try CatalogIdentity.read(on: connection))
            if let anchor, case .books(let books, _) = try PendingBooks.after(anchor, on: connection) {
                return books.count
            }
            return Int(try connection.number("SELECT count(*) FROM book WHERE NOT is_revoked"))
        }
    }

    /// What the content cache needs to know of a version; `nil` if it is gone.
    ///
    /// - Throws: ``CatalogError``.
    package mutating func content(_ version: VersionID) throws(CatalogError) -> ContentVersion? {
        try translating { () throws(SQLiteError) in try contents.version(version) }
    }

    /// How many books stand on the shelf, and the content of how many of those is a file of this machine.
    ///
    /// - Throws: ``CatalogError``.
    package func shelfCounts() throws(CatalogError) -> (books: Int, inFiles: Int) {
        try translating { () throws(SQLiteError) in
            let books = try connection.number("SELECT count(DISTINCT book) FROM dentry")
            let inFiles = try connection.number(
                """
                SELECT count(*) FROM version AS v WHERE v.superseded_at IS NULL AND v.url LIKE 'file:%'
                    AND EXISTS (SELECT 1 FROM dentry AS e WHERE e.book = v.book)
                """)
            return (Int(books), Int(inFiles))
        }
    }

    /// What tells this catalog from every other; `nil` for one that nobody has opened for writing since there are identities.
    ///
    /// - Throws: ``CatalogError``.
    package func identity() throws(CatalogError) -> String? {
        try translating { () throws(SQLiteError) in try CatalogIdentity.read(on: connection) }
    }

    /// Whether every row of a version can be read, so that what isn't found isn't there.
    ///
    /// - Throws: ``CatalogError``.
    package func isSound() throws(CatalogError) -> Bool {
        try translating { () throws(SQLiteError) in
            var isSound = false
            var check = try Statement("PRAGMA quick_check('version')", on: connection)
            try check.forEachRow([]) { (row) throws(SQLiteError) in isSound = row.text(at: 0) == "ok" }
            return isSound
        }
    }

    /// The sources in the order in which they were added.
    ///
    /// - Throws: ``CatalogError``.
    package func sources() throws(CatalogError) -> [Source] {
        try translating { () throws(SQLiteError) in try SourceTable.all(on: connection) }
    }

    /// How many books on the shelf are pinned.
    ///
    /// - Throws: ``CatalogError``.
    package func pinnedCount() throws(CatalogError) -> Int {
        try translating { () throws(SQLiteError) in
            Int(
                try connection.number(
                    """
                    SELECT count(*) FROM personal AS p CROSS JOIN book AS b ON b.id = p.book
                    WHERE p.is_pinned AND NOT b.is_revoked AND EXISTS (SELECT 1 FROM dentry AS e WHERE e.book = b.id)
                    """))
        }
    }

    /// What is pinned by rule, in the order in which the rules were made.
    ///
    /// - Throws: ``CatalogError``.
    package func pinRules() throws(CatalogError) -> [PinRule] {
        try translating { () throws(SQLiteError) in
            var select = try Statement("SELECT kind, name FROM pin_rule ORDER BY id", on: connection)
            var rules: [PinRule] = []
            try select.forEachRow([]) { (row) throws(SQLiteError) in
                if let kind = PinRule.Kind(rawValue: row.text(at: 0)) { rules.append(PinRule(kind, row.text(at: 1))) }
            }
            return rules
        }
    }

    /// How many books the sources list, how many of them are purchased, and where the change history stands.
    ///
    /// - Throws: ``CatalogError``.
    package func counts() throws(CatalogError) -> (books: Int, purchased: Int, anchor: SyncAnchor) {
        try translating { () throws(SQLiteError) in
            let books = try connection.number("SELECT count(*) FROM book WHERE NOT is_revoked")
            let purchased = try connection.number("SELECT count(*) FROM book WHERE is_purchased AND NOT is_revoked")
            return (Int(books), Int(purchased), try ChangeHistory.anchor(on: connection))
        }
    }
}
