internal import SQLite
package import Shelf

/// Arranging the shelf anew.
extension CatalogWriter {
    /// Arranges the shelf, in one transaction; costs nothing where it is arranged so already.
    ///
    /// Books keep their inodes, and what was open is read on.
    ///
    /// - Parameters:
    ///   - arrangement: What holds from now on, for every merge too.
    ///   - now: Nanoseconds since 1970.
    /// - Returns: Whether anything was to be done.
    /// - Throws: ``CatalogError``; the tree is then as it was.
    @discardableResult
    package func apply(_ arrangement: Arrangement, now: Int64) throws(CatalogError) -> Bool {
        let current = try translating { () throws(SQLiteError) in try ArrangementProperty.read(on: connection) }
        guard current != arrangement else { return false }
        try connection.write(wrapping: CatalogError.init) { () throws(CatalogError) in
            try translating { () throws(SQLiteError) in
                try ArrangementProperty.write(arrangement, on: connection)
                try Self.arrangeAll(now: now, on: connection)
            }
        }
        return true
    }

    /// Takes every book off the shelf and puts it back where the arrangement says, in the order of their numbers.
    static func arrangeAll(now: Int64, on connection: borrowing Connection) throws(SQLiteError) {
        try connection.execute(
            """
            CREATE TEMP TABLE shown AS SELECT DISTINCT book FROM dentry;
            DELETE FROM dentry;
            DELETE FROM directory WHERE id <> 0;
            UPDATE directory SET entry_count = 0 WHERE id = 0;
            UPDATE property SET value = 0 WHERE name IN ('shelf_byte_count', 'shelf_file_count');
            """)
        var shelf = try ShelfWriter(now: now, on: connection)
        var books = try BookShower(arrangement: shelf.arrangement, on: connection)
        // Of so many changes none is told by itself: all who follow look at everything anew.
        shelf.history.appendMany()
        try shelf.makeViews(on: connection)
        try shelf.fill(on: connection) { (shelf) throws(SQLiteError) in
            var find = try Statement("SELECT book FROM temp.shown ORDER BY book", on: connection)
            try find.forEachRow([]) { (row) throws(SQLiteError) in
                try books.show(BookID(rawValue: row.integer(at: 0)), shelf: &shelf, on: connection)
            }
        }
        try shelf.finish(on: connection)
        try connection.run(
            "UPDATE version SET changed_at = ?1 WHERE id IN (SELECT version FROM dentry)",
            .integer(now / 1_000_000_000))
        try connection.execute("DROP TABLE temp.shown")
    }
}
