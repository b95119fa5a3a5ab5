internal import SQLite
package import Shelf

/// Another identity for content that went wrong while it was read.
extension CatalogWriter {
    /// Gives the current content of a book a new number, as a new edition would have; all else stays as it was.
    ///
    /// Who has the old one open keeps it, as with every superseded version; who opens the book by its name gets the new one.
    ///
    /// - Parameters:
    ///   - version: Nothing happens if it isn't current any more.
    ///   - now: Nanoseconds since 1970.
    /// - Throws: ``CatalogError``; nothing is changed then.
    package func renew(_ version: VersionID, now: Int64) throws(CatalogError) {
        try connection.write(wrapping: CatalogError.init) { () throws(CatalogError) in
            try translating { () throws(SQLiteError) in try renewInTransaction(version, now: now) }
        }
    }

    private func renewInTransaction(_ version: VersionID, now: Int64) throws(SQLiteError) {
        var found: (book: BookID, byteCount: Int64)?
        var load = try Statement(
            "SELECT book, byte_count FROM version WHERE id = ?1 AND superseded_at IS NULL", on: connection)
        try load.forEachRow([.integer(version.rawValue)]) { (row) throws(SQLiteError) in
            found = (BookID(rawValue: row.integer(at: 0)), row.integer(at: 1))
        }
        guard let found else { return }
        // One version of a book is current at a time, so the old one goes first.
        try connection.run(
            "UPDATE version SET superseded_at = ?2 WHERE id = ?1", .integer(version.rawValue), .integer(now))
        try connection.run(
            """
            INSERT INTO version (book, url, media_type, byte_count, declared_byte_count, is_confirmed, sha256, etag,
                modified_at, first_seen_at, changed_at)
            SELECT book, url, media_type, byte_count, declared_byte_count, is_confirmed, sha256, etag, modified_at,
                first_seen_at, ?2 FROM version WHERE id = ?1
            """, .integer(version.rawValue), .integer(now / 1_000_000_000))
        var shelf = try ShelfWriter(now: now, on: connection)
        var books = try BookShower(arrangement: shelf.arrangement, on: connection)
        try books.replaceContent(of: found.book, formerByteCount: found.byteCount, shelf: &shelf, on: connection)
        try shelf.history.append(.book(found.book))
        try shelf.finish(on: connection)
    }
}
