internal import SQLite
internal import Shelf

/// Finds what the content cache needs to know of a version.
struct ContentQuery: ~Copyable {
    private var select: Statement

    init(on connection: borrowing Connection) throws(SQLiteError) {
        let select = try Statement(
            """
            SELECT v.id, v.book, b.title, s.name, v.url, v.media_type, v.byte_count, v.is_confirmed, v.sha256,
                v.superseded_at, s.allows_plain_http, v.etag
            FROM version AS v JOIN book AS b ON b.id = v.book JOIN source AS s ON s.id = b.source WHERE v.id = ?1
            """, on: connection)
        self.select = select
    }

    /// - Returns: `nil` if there is no such version.
    mutating func version(_ id: VersionID) throws(SQLiteError) -> ContentVersion? {
        var found: ContentVersion?
        try select.forEachRow([.integer(id.rawValue)]) { (row) throws(SQLiteError) in
            let hash = row.bytes(at: 8)
            found = ContentVersion(
                id: id, book: BookID(rawValue: row.integer(at: 1)), title: row.text(at: 2), source: row.text(at: 3),
                url: row.text(at: 4), mediaType: row.textOrNull(at: 5) ?? "application/epub+zip",
                byteCount: row.integer(at: 6), isByteCountBinding: row.bool(at: 7) || !hash.isEmpty,
                confirmedETag: row.textOrNull(at: 11),
                sha256: hash.isEmpty ? nil : HexDigits.text(of: hash), isSuperseded: !row.isNull(at: 9),
                allowsPlainHTTP: row.bool(at: 10))
        }
        return found
    }
}
