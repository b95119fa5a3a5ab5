internal import SQLite
internal import Shelf
internal import TextForms

/// The search of the shelf: what it finds has a name and a version.
///
/// It opens what it needs with the first search, so that a mount in which nobody searches pays nothing.
struct ShelfSearch: ~Copyable {
    private let catalogPath: String
    private var search: CatalogSearch
    private var names: FoundNames?

    /// Of each connection; the pages are in the kernel's memory as well.
    private static var cacheByteCount: Int { 256 << 10 }

    init(catalogPath: String) {
        self.catalogPath = catalogPath
        search = CatalogSearch(catalogPath: catalogPath, cacheByteCount: Self.cacheByteCount)
        names = nil
    }

    mutating func find(_ query: SearchQuery, limit: Int) throws(CatalogError) -> [FoundEntry] {
        guard !query.isEmpty else { return [] }
        var names: FoundNames
        if let open = self.names.take() {
            names = open
        } else {
            names = try FoundNames(catalogPath: catalogPath, cacheByteCount: Self.cacheByteCount)
        }
        let result = Result { () throws(CatalogError) in
            let found = try search.find(
                query, includesUnpurchased: try names.areSamplesShown(), limit: limit, countsAll: false)
            return try names.entries(of: found.books)
        }
        self.names = consume names
        return try result.get()
    }
}

/// Gives found books names, as a directory of their own would.
private struct FoundNames: ~Copyable {
    private let connection: Connection
    private var select: Statement

    init(catalogPath: String, cacheByteCount: Int) throws(CatalogError) {
        let connection = try CatalogFile.openForReading(catalogPath, pageCacheByteCount: cacheByteCount)
        let select = try translating { () throws(SQLiteError) in
            try Statement(
                """
                SELECT b.title, b.authors, v.media_type, v.id, v.book, v.byte_count,
                    ifnull(v.modified_at, v.first_seen_at), v.changed_at
                FROM dentry AS e CROSS JOIN version AS v ON v.id = e.version CROSS JOIN book AS b ON b.id = e.book
                WHERE e.book = ?1 LIMIT 1
                """, on: connection)
        }
        // A throw must find either nothing or everything initialised.
        self.connection = connection
        self.select = select
    }

    func areSamplesShown() throws(CatalogError) -> Bool {
        try translating { () throws(SQLiteError) in try SamplePolicy.areSamplesShown(on: connection) }
    }

    /// - Returns: Those that stand on the shelf, in the same order.
    mutating func entries(of books: [BookID]) throws(CatalogError) -> [FoundEntry] {
        var entries: [FoundEntry] = []
        var taken: Set<String> = []
        do throws(SQLiteError) {
            for book in books {
                var found: (book: ShelvedBook, version: VersionAttributes)?
                try select.forEachRow([.integer(book.rawValue)]) { (row) throws(SQLiteError) in
                    let version = VersionAttributes(row, from: 3)
                    let shelved = ShelvedBook(
                        ShelvedBook.Description(
                            id: book, version: version.id, title: row.text(at: 0), authors: row.text(at: 1),
                            categories: "", mediaType: row.textOrNull(at: 2), byteCount: version.byteCount,
                            details: nil),
                        in: Arrangement(.flat))
                    found = (shelved, version)
                }
                guard let found else { continue }
                entries.append(FoundEntry(name: Self.freeName(of: found.book, &taken), version: found.version))
            }
        } catch {
            throw CatalogError(error)
        }
        return entries
    }

    private static func freeName(of book: ShelvedBook, _ taken: inout Set<String>) -> String {
        let place = Placement([])
        let best = book.bestName(at: place)
        if taken.insert(best.folded).inserted { return best.name }
        var attempt = 1
        while true {
            let name = book.name(attempt: attempt, at: place)
            if taken.insert(name.foldedForComparison).inserted { return name }
            attempt += 1
        }
    }
}
