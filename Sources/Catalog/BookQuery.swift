internal import SQLite
internal import Shelf

/// Reads whole books.
struct BookQuery: ~Copyable {
    private var select: Statement
    private var selectOne: Statement
    private var selectPaths: Statement
    private var selectBook: Statement

    init(on connection: borrowing Connection) throws(SQLiteError) {
        let select = try Statement(
            """
            SELECT b.id, s.name, b.key, b.title, b.authors, b.categories, b.description, b.language, b.publisher, b.isbn,
                b.series, b.series_index, b.contents, b.cover_url, b.store_url, b.is_purchased, b.is_sample,
                b.purchased_at, p.last_read_at, ifnull(p.is_pinned, 0), v.id, v.url, v.media_type, v.byte_count,
                v.sha256, ifnull(v.modified_at, v.first_seen_at)
            FROM book AS b JOIN source AS s ON s.id = b.source
                LEFT JOIN version AS v ON v.book = b.id AND v.superseded_at IS NULL
                LEFT JOIN personal AS p ON p.book = b.id
            WHERE NOT b.is_revoked AND b.id > ?1 ORDER BY b.id
            """, on: connection)
        let selectOne = try Statement(
            """
            SELECT b.id, s.name, b.key, b.title, b.authors, b.categories, b.description, b.language, b.publisher, b.isbn,
                b.series, b.series_index, b.contents, b.cover_url, b.store_url, b.is_purchased, b.is_sample,
                b.purchased_at, p.last_read_at, ifnull(p.is_pinned, 0), v.id, v.url, v.media_type, v.byte_count,
                v.sha256, ifnull(v.modified_at, v.first_seen_at)
            FROM book AS b JOIN source AS s ON s.id = b.source
                LEFT JOIN version AS v ON v.book = b.id AND v.superseded_at IS NULL
                LEFT JOIN personal AS p ON p.book = b.id
            WHERE NOT b.is_revoked AND b.id = ?1
            """, on: connection)
        let selectPaths = try Statement(
            """
            SELECT (WITH RECURSIVE up(parent, path) AS (
                SELECT d.parent, d.name || '/' || e.name FROM directory AS d WHERE d.id = e.directory AND d.id > 0
                UNION ALL SELECT p.parent, p.name || '/' || up.path FROM up JOIN directory AS p ON p.id = up.parent
                WHERE up.parent > 0
            ) SELECT path FROM up WHERE parent = 0), e.name
            FROM dentry AS e WHERE e.book = ?1 ORDER BY e.directory
            """, on: connection)
        let selectBook = try Statement("SELECT book FROM version WHERE id = ?1", on: connection)
        // A throw must find either nothing or everything initialised.
        self.select = select
        self.selectOne = selectOne
        self.selectPaths = selectPaths
        self.selectBook = selectBook
    }

    /// Passes every book that no source has revoked on, by number.
    mutating func forEach(_ body: (CatalogBook) -> Void) throws(SQLiteError) {
        try Self.forEach(in: &select, paths: &selectPaths, body)
    }

    private static func forEach(
        in select: inout Statement, paths: inout Statement, _ body: (CatalogBook) -> Void
    ) throws(SQLiteError) {
        try select.forEachRow([.integer(0)]) { (row) throws(SQLiteError) in
            body(CatalogBook(row, paths: try Self.paths(of: row.integer(at: 0), in: &paths)))
        }
    }

    mutating func book(_ id: BookID) throws(SQLiteError) -> CatalogBook? {
        let paths = try Self.paths(of: id.rawValue, in: &selectPaths)
        var found: CatalogBook?
        try selectOne.forEachRow([.integer(id.rawValue)]) { (row) throws(SQLiteError) in
            found = CatalogBook(row, paths: paths)
        }
        return found
    }

    mutating func book(of version: VersionID) throws(SQLiteError) -> CatalogBook? {
        var book: BookID?
        try selectBook.forEachRow([.integer(version.rawValue)]) { (row) throws(SQLiteError) in
            book = BookID(rawValue: row.integer(at: 0))
        }
        guard let book else { return nil }
        return try self.book(book)
    }

    private static func paths(of book: Int64, in select: inout Statement) throws(SQLiteError) -> [String] {
        var paths: [String] = []
        try select.forEachRow([.integer(book)]) { (row) throws(SQLiteError) in
            // Of what stands in the root there is no path but the name.
            paths.append(row.textOrNull(at: 0) ?? row.text(at: 1))
        }
        return paths
    }
}

extension CatalogBook {
    /// Reads the columns that ``BookQuery`` selects.
    fileprivate init(_ row: borrowing Row, paths: [String]) {
        let hash = row.bytes(at: 24)
        self.init(
            id: BookID(rawValue: row.integer(at: 0)), source: row.text(at: 1), key: row.text(at: 2),
            title: row.text(at: 3), authors: PackedList.unpack(authors: row.text(at: 4)),
            categories: PackedList.unpack(row.text(at: 5)), description: row.textOrNull(at: 6),
            language: row.textOrNull(at: 7), publisher: row.textOrNull(at: 8), isbn: row.textOrNull(at: 9),
            series: row.textOrNull(at: 10), seriesIndex: row.realOrNull(at: 11),
            contents: PackedList.unpack(row.text(at: 12)), coverURL: row.textOrNull(at: 13),
            storeURL: row.textOrNull(at: 14), isPurchased: row.bool(at: 15), isSample: row.bool(at: 16),
            purchasedAt: row.integerOrNull(at: 17), lastReadAt: row.integerOrNull(at: 18), isPinned: row.bool(at: 19),
            version: row.integerOrNull(at: 20).map(VersionID.init(rawValue:)), contentURL: row.textOrNull(at: 21),
            mediaType: row.textOrNull(at: 22) ?? "application/epub+zip", byteCount: row.integerOrNull(at: 23),
            sha256: hash.isEmpty ? nil : HexDigits.text(of: hash), modifiedAt: row.integerOrNull(at: 25), paths: paths)
    }
}
