internal import SQLite
internal import Shelf

/// Fills a new index with all books of a catalog, in the order in which they are shown.
///
/// The catalog is read in short pieces, since a long look at it would keep its journal from being used again. What changes meanwhile
/// is found afterwards, as the anchor is that of the beginning. Memory doesn't grow with the number of books.
enum SearchIndexBuilder {
    /// Books whose titles are read at once.
    private static var pieceCount: Int64 { 10_000 }

    /// - Parameters:
    ///   - index: With its tables, in no transaction.
    ///   - catalog: To read.
    ///   - identity: Of the catalog.
    ///   - progress: Called now and then with how many books are in the index, and how many there are.
    /// - Throws: ``SQLiteError``; the index is then useless.
    static func fill(
        _ index: borrowing Connection, from catalog: borrowing Connection, identity: String?,
        progress: (Int, Int) -> Void
    ) throws(SQLiteError) {
        let anchor = try ChangeHistory.anchor(on: catalog)
        try index.execute(
            """
            ATTACH '' AS sorting;
            PRAGMA sorting.journal_mode = OFF;
            PRAGMA sorting.synchronous = OFF;
            PRAGMA sorting.cache_size = -8192;
            CREATE TABLE sorting.book (is_purchased INTEGER, key TEXT, id INTEGER);
            BEGIN;
            """)
        try index.execute(SearchIndexSchema.filling)
        let count = try readKeys(from: catalog, into: index)
        let (purchasedCount, mainCount) = try addEntries(of: count, from: catalog, to: index, progress)
        try index.execute(SearchIndexSchema.indexes)
        try index.execute(SearchIndexSchema.filled)
        try IndexProperty.set(.identity, .text(orNull: identity), on: index)
        try IndexProperty.set(.anchor, .integer(anchor.rawValue), on: index)
        try IndexProperty.set(.mainCount, .integer(mainCount), on: index)
        try IndexProperty.set(.purchasedCount, .integer(purchasedCount), on: index)
        try IndexProperty.set(.removedCount, .integer(0), on: index)
        try IndexProperty.set(.lastEntry, .integer(mainCount), on: index)
        try index.execute("COMMIT; DETACH sorting")
    }

    /// - Returns: How many books there are.
    private static func readKeys(
        from catalog: borrowing Connection, into index: borrowing Connection
    ) throws(SQLiteError) -> Int {
        var select = try Statement(
            "SELECT id, title, is_purchased FROM book WHERE id > ?1 AND NOT is_revoked ORDER BY id LIMIT ?2",
            on: catalog)
        var insert = try Statement("INSERT INTO sorting.book VALUES (?1, ?2, ?3)", on: index)
        var last: Int64 = 0
        var count = 0
        var isAtEnd = false
        while !isAtEnd {
            isAtEnd = true
            try select.forEachRow([.integer(last), .integer(pieceCount)]) { (row) throws(SQLiteError) in
                last = row.integer(at: 0)
                let document = SearchDocument(title: row.text(at: 1), authors: [], description: nil)
                try insert.run([.bool(row.bool(at: 2)), .text(document.key), .integer(last)])
                count += 1
                isAtEnd = false
            }
        }
        return count
    }

    private static func addEntries(
        of count: Int, from catalog: borrowing Connection, to index: borrowing Connection,
        _ progress: (Int, Int) -> Void
    ) throws(SQLiteError) -> (purchased: Int64, all: Int64) {
        var books = try IndexedBookQuery(on: catalog)
        var entries = try IndexEntries(on: index)
        var sorted = try Statement(
            "SELECT id, is_purchased FROM sorting.book ORDER BY is_purchased DESC, key, id", on: index)
        var added: Int64 = 0
        var purchasedCount: Int64 = 0
        try sorted.forEachRow([]) { (row) throws(SQLiteError) in
            // What has changed since its key was read is among the changes that are looked at next.
            guard let book = try books.book(BookID(rawValue: row.integer(at: 0))),
                book.isPurchased == row.bool(at: 1)
            else { return }
            added += 1
            if book.isPurchased { purchasedCount = added }
            try entries.add(added, book)
            if added % 20_000 == 0 { progress(Int(added), count) }
        }
        progress(Int(added), count)
        return (purchasedCount, added)
    }
}
