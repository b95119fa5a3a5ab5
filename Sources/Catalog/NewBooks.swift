internal import SQLite
internal import Shelf

/// The books that a merge has added, as they are put on the shelf: from the records, in document order.
struct NewBooks {
    /// The highest numbers that were given before them; a record's own number added to these gives a new book's.
    struct Base {
        let book: Int64
        let version: Int64
    }

    let base: Base
    let showsSamples: Bool

    /// Shows those that are due.
    func show(on shelf: inout ShelfWriter, _ connection: borrowing Connection) throws(SQLiteError) {
        var find = try Statement(
            """
            SELECT number, title, authors, categories, media_type, byte_count FROM staging.record
            WHERE book IS NULL AND url IS NOT NULL AND byte_count IS NOT NULL
                AND (is_purchased OR (is_sample AND ?1)) ORDER BY number
            """, on: connection)
        try find.forEachRow([.bool(showsSamples)]) { (row) throws(SQLiteError) in
            let number = row.integer(at: 0)
            let book = ShelvedBook(
                id: BookID(rawValue: base.book + number), version: VersionID(rawValue: base.version + number),
                title: row.text(at: 1), authors: row.text(at: 2), categories: row.text(at: 3),
                mediaType: row.textOrNull(at: 4), byteCount: row.integer(at: 5))
            try shelf.show(book, on: connection)
        }
    }
}
