internal import SQLite
internal import Shelf
internal import TextForms

/// Finds books by the index as it is, without changing it.
///
/// A book is found by the first pass that it fits: its whole title; then title, title and authors, everything, each first with whole
/// words, then with the last one as a beginning. The entries of the index stand in the order in which they are shown, so a pass stops
/// when there are enough, however many more there are; only those that came later are all looked at, and they are few.
struct SearchReader: ~Copyable {
    private let index: Connection
    private let catalog: Connection
    private var entries: Statement
    private var titles: Statement
    private var count: Statement
    private var words: Statement
    private var books: IndexedBookQuery

    /// - Returns: `nil` if there is no index.
    static func open(catalogPath: String, cacheByteCount: Int) throws(CatalogError) -> SearchReader? {
        let catalog = try CatalogFile.openForReading(catalogPath, pageCacheByteCount: cacheByteCount)
        let identity = try translating { () throws(SQLiteError) in try CatalogIdentity.read(on: catalog) }
        guard
            let index = SearchIndexFile(besideCatalogAt: catalogPath)
                .open(.read, ofCatalog: identity, cacheByteCount: cacheByteCount)
        else { return nil }
        do throws(SQLiteError) { return try SearchReader(index, catalog) } catch {
            throw .other(reason: "the search index can't be read: \(error.message)")
        }
    }

    private init(_ index: consuming Connection, _ catalog: consuming Connection) throws(SQLiteError) {
        let entries = try Statement(
            """
            SELECT e.id, e.book, e.key, e.is_purchased FROM terms AS t CROSS JOIN entry AS e ON e.id = t.rowid
            WHERE t.terms MATCH ?1 AND t.rowid BETWEEN ?2 AND ?3
            """, on: index)
        let titles = try Statement(
            "SELECT id, book, key, is_purchased FROM entry WHERE id BETWEEN ?1 AND ?2 ORDER BY id", on: index)
        let count = try Statement(
            "SELECT count(*) FROM terms AS t WHERE t.terms MATCH ?1 AND t.rowid BETWEEN ?2 AND ?3", on: index)
        let words = try Statement("SELECT term FROM word WHERE term > ?1 AND term < ?2 LIMIT ?3", on: index)
        let books = try IndexedBookQuery(on: catalog)
        // A throw must find either nothing or everything initialised.
        self.index = index
        self.catalog = catalog
        self.entries = entries
        self.titles = titles
        self.count = count
        self.words = words
        self.books = books
    }

    /// Whether another index has taken the place of this one.
    var isOutdated: Bool { index.isMoved }

    // MARK: - Search

    /// Where the entries of an index stand.
    fileprivate struct Bounds {
        var purchased: Int64
        var main: Int64
        var last: Int64
        var removed: Int64
    }

    /// A found entry.
    fileprivate struct Hit {
        let id: Int64
        let book: BookID
        let key: String

        func isBefore(_ other: Hit) -> Bool {
            if key.utf8.elementsEqual(other.key.utf8) { return book.rawValue < other.book.rawValue }
            return key.utf8.lexicographicallyPrecedes(other.key.utf8)
        }
    }

    /// The books that fit, best first.
    ///
    /// - Parameters:
    ///   - query: What was typed.
    ///   - includesUnpurchased: Whether those that aren't purchased come behind those that are.
    ///   - limit: How many at most; `nil` for all.
    /// - Returns: Their numbers, as the index knows them.
    /// - Throws: ``SQLiteError``.
    mutating func find(
        _ query: SearchQuery, includesUnpurchased: Bool, limit: Int?
    ) throws(SQLiteError) -> [BookID] {
        guard !query.isEmpty else { return [] }
        try index.execute("BEGIN")
        defer { try? index.execute("COMMIT") }
        let bounds = try bounds()
        let limit = limit ?? Int.max
        var passes: [SearchPass?] = []
        var found: [BookID] = []
        var seen: Set<Int64> = []
        for isPurchased in includesUnpurchased ? [true, false] : [true] {
            for number in 0..<SearchPass.count {
                if found.count >= limit { return found }
                if passes.count <= number {
                    passes.append(try SearchPass(number, of: query, words: &words))
                }
                guard let pass = passes[number] else { continue }
                try Self.collect(
                    pass, of: query, isPurchased: isPurchased, bounds, atMost: limit - found.count, &entries, &titles,
                    &books
                ) { hit in
                    guard seen.insert(hit.id).inserted else { return false }
                    found.append(hit.book)
                    return true
                }
            }
        }
        return found
    }

    /// How many books fit in all.
    ///
    /// - Throws: ``SQLiteError``.
    mutating func count(_ query: SearchQuery, includesUnpurchased: Bool) throws(SQLiteError) -> Int {
        guard !query.isEmpty else { return 0 }
        guard let expression = try SearchPass.expressionOfAll(query, words: &words) else {
            return try find(query, includesUnpurchased: includesUnpurchased, limit: nil).count
        }
        try index.execute("BEGIN")
        defer { try? index.execute("COMMIT") }
        let bounds = try bounds()
        let end = includesUnpurchased ? bounds.main : bounds.purchased
        var total = 0
        if bounds.removed == 0 {
            // No entry has to be looked at.
            try count.forEachRow([.text(expression), .integer(1), .integer(end)]) { (row) throws(SQLiteError) in
                total = Int(row.integer(at: 0))
            }
        } else {
            try entries.forEachRow([.text(expression), .integer(1), .integer(end)]) { (_) throws(SQLiteError) in
                total += 1
            }
        }
        guard bounds.last > bounds.main else { return total }
        try entries.forEachRow([.text(expression), .integer(bounds.main + 1), .integer(bounds.last)]) {
            (row) throws(SQLiteError) in
            if includesUnpurchased || row.bool(at: 3) { total += 1 }
        }
        return total
    }

    private func bounds() throws(SQLiteError) -> Bounds {
        Bounds(
            purchased: try IndexProperty.number(.purchasedCount, on: index),
            main: try IndexProperty.number(.mainCount, on: index),
            last: try IndexProperty.number(.lastEntry, on: index),
            removed: try IndexProperty.number(.removedCount, on: index))
    }

    /// Passes the books of one pass on in the order in which they are shown, until `body` has taken enough.
    ///
    /// `body` returns whether it took the book.
    private static func collect(
        _ pass: SearchPass, of query: SearchQuery, isPurchased: Bool, _ bounds: Bounds, atMost limit: Int,
        _ entries: inout Statement, _ titles: inout Statement, _ books: inout IndexedBookQuery, _ body: (Hit) -> Bool
    ) throws(SQLiteError) {
        var late: [Hit] = []
        if bounds.last > bounds.main {
            try scan(pass, bounds.main + 1, bounds.last, &entries, &titles) { (row) throws(SQLiteError) in
                guard row.bool(at: 3) == isPurchased, try fits(row, pass, query, &books) else { return .next }
                late.append(Hit(row))
                return .next
            }
            late.sort { $0.isBefore($1) }
        }
        var room = limit
        var next = 0
        let first = isPurchased ? 1 : bounds.purchased + 1
        let last = isPurchased ? bounds.purchased : bounds.main
        if first <= last {
            try scan(pass, first, last, &entries, &titles) { (row) throws(SQLiteError) in
                let hit = Hit(row)
                while room > 0, next < late.count, late[next].isBefore(hit) {
                    if body(late[next]) { room -= 1 }
                    next += 1
                }
                guard room > 0 else { return .stop }
                if try fits(row, pass, query, &books), body(hit) { room -= 1 }
                return room > 0 ? .next : .stop
            }
        }
        while room > 0, next < late.count {
            if body(late[next]) { room -= 1 }
            next += 1
        }
    }

    /// Passes the entries on that a pass has to look at.
    private static func scan(
        _ pass: SearchPass, _ first: Int64, _ last: Int64, _ entries: inout Statement, _ titles: inout Statement,
        _ body: (borrowing Row) throws(SQLiteError) -> Statement.Continuation
    ) throws(SQLiteError) {
        switch pass {
        case .expression(let text), .candidates(let text, _):
            try entries.scan([.text(text), .integer(first), .integer(last)], body)
        case .titles: try titles.scan([.integer(first), .integer(last)], body)
        }
    }

    /// Whether an entry that a pass looks at is one that it finds.
    private static func fits(
        _ row: borrowing Row, _ pass: SearchPass, _ query: SearchQuery, _ books: inout IndexedBookQuery
    ) throws(SQLiteError) -> Bool {
        switch pass {
        case .expression: return true
        case .titles(let beginning):
            return row.withText(at: 2) { SearchUnits.hasWord(beginningWith: beginning, in: $0) }
        case .candidates(_, let tier):
            let book = BookID(rawValue: row.integer(at: 1))
            guard let texts = try books.texts(of: book, in: tier) else { return false }
            return query.lastPhraseStands(in: texts)
        }
    }
}

extension SearchReader.Hit {
    /// Reads an entry.
    fileprivate init(_ row: borrowing Row) {
        self.init(id: row.integer(at: 0), book: BookID(rawValue: row.integer(at: 1)), key: row.text(at: 2))
    }
}
