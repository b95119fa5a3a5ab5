internal import SQLite
internal import Shelf

/// Merges what was staged from one source into the catalog, in one transaction.
///
/// Unchanged records are found by their fingerprint and cost no write; new ones are copied from table to table by
/// SQLite; only changed and vanished ones are looked at one by one.
struct Merge: ~Copyable {
    private let source: Int64
    private let now: Int64
    private let hasPurchases: Bool
    private let hasReadingTimes: Bool
    private var shelf: ShelfWriter
    private var books: BookWriter
    private var summary = SyncSummary()

    /// - Parameters:
    ///   - source: The row of the source that the records came from.
    ///   - nanoseconds: Now, since 1970.
    ///   - hasPurchases: Whether any record says something of a purchase.
    ///   - hasReadingTimes: Whether any record says when the book was read.
    ///   - connection: With the staging file attached and the write transaction open.
    /// - Throws: ``SQLiteError``.
    init(
        source: Int64, nanoseconds: Int64, hasPurchases: Bool, hasReadingTimes: Bool,
        on connection: borrowing Connection
    ) throws(SQLiteError) {
        self.source = source
        self.hasPurchases = hasPurchases
        self.hasReadingTimes = hasReadingTimes
        now = nanoseconds / 1_000_000_000
        let shelf = try ShelfWriter(now: nanoseconds, on: connection)
        let books = try BookWriter(source: source, now: nanoseconds / 1_000_000_000, on: connection)
        // A throw must find either nothing or everything initialised.
        self.shelf = shelf
        self.books = books
    }

    /// Runs the whole merge.
    ///
    /// - Returns: What was done, without the skipped records.
    mutating func run(
        samples: SamplePolicy, on connection: borrowing Connection
    ) throws(SQLiteError) -> SyncSummary {
        let showedSamples = try SamplePolicy.areSamplesShown(on: connection)
        let isFirst =
            try connection.number(
                "SELECT count(*) FROM (SELECT 1 FROM book WHERE source = ?1 LIMIT 1)", .integer(source)) == 0
        var changed: [BookID] = []
        if !isFirst {
            try match(on: connection)
            try revokeVanished(on: connection)
            changed = try updateChanged(showsSamples: showedSamples, on: connection)
        }
        let fills = isFirst ? try Self.fillsCatalog(on: connection) : false
        let firstNew = fills ? try fill(on: connection) : try addNew(on: connection)
        let showsSamples = try samples.showsSamples(on: connection)
        let books = NewBooks(base: firstNew, source: source, showsSamples: showsSamples)
        if fills {
            try shelf.fill(on: connection) { (shelf) throws(SQLiteError) in try books.show(on: &shelf, connection) }
        } else {
            try books.show(on: &shelf, connection)
        }
        if showsSamples != showedSamples {
            var shower = try BookShower(arrangement: shelf.arrangement, on: connection)
            try shower.setSamplesShown(
                showsSamples, through: BookID(rawValue: firstNew.book), shelf: &shelf, on: connection)
        }
        try samples.noteApplied(areShown: showsSamples, on: connection)
        try shelf.finish(on: connection)
        let touched = changed.map { $0.rawValue...$0.rawValue } + [(firstNew.book + 1)...Int64.max]
        try PinRules.apply(to: touched, on: connection)
        return summary
    }

    /// Notes beside each record which book it is.
    private mutating func match(on connection: borrowing Connection) throws(SQLiteError) {
        try connection.run(
            "UPDATE staging.record SET book = (SELECT id FROM main.book WHERE source = ?1 AND key = record.key)",
            .integer(source))
        summary.unchanged = Int(
            try connection.number(
                """
                SELECT count(*) FROM staging.record AS r JOIN main.book AS b ON b.id = r.book
                WHERE b.fingerprint = r.fingerprint AND NOT b.is_revoked
                """))
    }

    private mutating func revokeVanished(on connection: borrowing Connection) throws(SQLiteError) {
        try connection.execute("CREATE INDEX IF NOT EXISTS staging.record_key ON record(key)")
        var find = try Statement(
            """
            SELECT id FROM main.book AS b WHERE source = ?1 AND NOT is_revoked
                AND NOT EXISTS (SELECT 1 FROM staging.record WHERE key = b.key)
                AND NOT EXISTS (SELECT 1 FROM staging.kept WHERE key = b.key)
            """, on: connection)
        var vanished: [BookID] = []
        try find.forEachRow([.integer(source)]) { (row) throws(SQLiteError) in
            vanished.append(BookID(rawValue: row.integer(at: 0)))
        }
        for book in vanished { try books.revoke(book, shelf: &shelf) }
        summary.removed = vanished.count
    }

    /// - Returns: The books that were changed.
    private mutating func updateChanged(
        showsSamples: Bool, on connection: borrowing Connection
    ) throws(SQLiteError) -> [BookID] {
        var find = try Statement(
            """
            SELECT r.number, b.id, b.is_revoked, r.title <> b.title
            FROM staging.record AS r JOIN main.book AS b ON b.id = r.book
            WHERE b.fingerprint <> r.fingerprint OR b.is_revoked ORDER BY r.number
            """, on: connection)
        var changed: [(number: Int64, book: BookID, wasRevoked: Bool, isRenamed: Bool)] = []
        try find.forEachRow([]) { (row) throws(SQLiteError) in
            changed.append(
                (row.integer(at: 0), BookID(rawValue: row.integer(at: 1)), row.bool(at: 2), row.bool(at: 3)))
        }
        // All names that titles give up are free before any is given: two books may have changed titles with each other.
        for (_, book, _, isRenamed) in changed where isRenamed { try books.releaseNames(of: book, shelf: &shelf) }
        for (number, book, wasRevoked, _) in changed {
            try books.update(book, from: number, showsSamples: showsSamples, shelf: &shelf, on: connection)
            if wasRevoked { summary.added += 1 } else { summary.updated += 1 }
        }
        return changed.map(\.book)
    }

    /// Copies the records that no book has yet.
    ///
    /// Their numbers are those of the records, above every number given before: so they keep the document's order, and
    /// no join is needed to find a book's version.
    ///
    /// - Returns: The number above which the new books stand.
    private mutating func addNew(on connection: borrowing Connection) throws(SQLiteError) -> NewBooks.Base {
        let base = NewBooks.Base(
            book: try connection.number("SELECT seq FROM sqlite_sequence WHERE name = 'book'"),
            version: try connection.number("SELECT seq FROM sqlite_sequence WHERE name = 'version'"))
        try connection.run(
            """
            INSERT INTO main.book (id, source, key, fingerprint, title, title_sort, authors, categories, description,
                language, publisher, isbn, series, series_index, contents, cover_url, store_url, is_purchased,
                is_sample, purchased_at, updated_at)
            SELECT ?1 + number, ?2, key, fingerprint, title, title_sort, authors, categories, description, language,
                publisher, isbn, series, series_index, contents, cover_url, store_url, is_purchased, is_sample,
                purchased_at, ?3
            FROM staging.record WHERE book IS NULL ORDER BY number
            """, .integer(base.book), .integer(source), .integer(now))
        summary.added += connection.changedRowCount
        let added = connection.changedRowCount
        guard added > 0 else { return base }
        try connection.run(
            """
            INSERT INTO main.version (id, book, url, media_type, byte_count, declared_byte_count, sha256, modified_at,
                first_seen_at, changed_at)
            SELECT ?1 + number, ?2 + number, url, media_type, byte_count, byte_count, sha256, modified_at, ?3, ?3
            FROM staging.record WHERE book IS NULL AND url IS NOT NULL ORDER BY number
            """, .integer(base.version), .integer(base.book), .integer(now))
        if hasPurchases {
            try connection.run(
                """
                INSERT INTO main.purchase (book, order_id, price, purchased_at)
                SELECT ?1 + number, order_id, price, purchased_at FROM staging.record
                WHERE book IS NULL AND (order_id IS NOT NULL OR price IS NOT NULL) ORDER BY number
                """, .integer(base.book))
        }
        if hasReadingTimes {
            try connection.run(
                """
                INSERT INTO main.personal (book, last_read_at)
                SELECT ?1 + number, last_read_at FROM staging.record
                WHERE book IS NULL AND last_read_at IS NOT NULL ORDER BY number
                """, .integer(base.book))
        }
        if added > ChangeHistory.maximumRecorded {
            shelf.history.appendMany()
        } else {
            var find = try Statement(
                "SELECT ?1 + number FROM staging.record WHERE book IS NULL ORDER BY number", on: connection)
            var new: [BookID] = []
            try find.forEachRow([.integer(base.book)]) { (row) throws(SQLiteError) in
                new.append(BookID(rawValue: row.integer(at: 0)))
            }
            for book in new { try shelf.history.append(.book(book)) }
        }
        return base
    }

    // MARK: - An empty catalog

    /// How many books a catalog may be filled with at once; the names of more would take too much memory.
    private static var filling: ClosedRange<Int64> { 1_000...2_000_000 }

    /// Whether the catalog has no book yet, and gets so many that it pays to make the indexes afterwards.
    static func fillsCatalog(on connection: borrowing Connection) throws(SQLiteError) -> Bool {
        guard try connection.number("SELECT count(*) FROM (SELECT 1 FROM main.book LIMIT 1)") == 0 else { return false }
        return Self.filling.contains(try connection.number("SELECT max(number) FROM staging.record"))
    }

    private mutating func fill(on connection: borrowing Connection) throws(SQLiteError) -> NewBooks.Base {
        try connection.execute("DROP INDEX main.book_key; DROP INDEX main.version_current")
        let base = try addNew(on: connection)
        try connection.execute(Schema.bookIndexes)
        return base
    }
}
