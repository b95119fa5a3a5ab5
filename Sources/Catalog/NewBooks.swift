internal import SQLite
internal import Shelf
internal import Threads

/// The books that a merge has added, as they are put on the shelf: from the records, in document order.
struct NewBooks {
    /// The highest numbers that were given before them; a record's own number added to these gives a new book's.
    struct Base {
        let book: Int64
        let version: Int64
    }

    let base: Base

    /// The row of the source that they came from.
    let source: Int64
    let showsSamples: Bool

    /// How many of them are named at a time.
    private static var batchCount: Int { 256 }

    /// Shows those that are due.
    ///
    /// Their names are made by a second thread: that takes about as long as writing them.
    func show(on shelf: inout ShelfWriter, _ connection: borrowing Connection) throws(SQLiteError) {
        var find = try Statement(
            """
            SELECT number, title, authors, categories, media_type, byte_count, title_sort, series, series_index, language,
                publisher, isbn, (SELECT kind FROM main.source WHERE id = ?2)
            FROM staging.record WHERE book IS NULL AND url IS NOT NULL AND byte_count IS NOT NULL
                AND (is_purchased OR (is_sample AND ?1)) ORDER BY number
            """, on: connection)
        let arrangement = shelf.arrangement
        var naming = WorkAhead(name: "naming") { ShelvedBook($0, in: arrangement) }
        var batch: [ShelvedBook.Description] = []
        try find.forEachRow([.bool(showsSamples), .integer(source)]) { (row) throws(SQLiteError) in
            let number = row.integer(at: 0)
            batch.append(
                ShelvedBook.Description(
                    id: BookID(rawValue: base.book + number), version: VersionID(rawValue: base.version + number),
                    title: row.text(at: 1), authors: row.text(at: 2), categories: row.text(at: 3),
                    mediaType: row.textOrNull(at: 4), byteCount: row.integer(at: 5),
                    details: arrangement.isByCategoryAlone ? nil : ShelvedBook.Details(row, from: 6)))
            guard batch.count == Self.batchCount else { return }
            for book in naming.handOver(batch) { try shelf.show(book, on: connection) }
            batch.removeAll(keepingCapacity: true)
        }
        for book in naming.handOver(batch) { try shelf.show(book, on: connection) }
        for book in naming.takeProducts() { try shelf.show(book, on: connection) }
    }
}
