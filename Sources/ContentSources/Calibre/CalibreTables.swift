internal import SQLite
internal import Shelf

/// The tables of a Calibre's database, as far as they are read here.
///
/// Calibre keeps what a book may have several of in tables of their own, with tables of links between.
struct CalibreTables: ~Copyable {
    private var books: Statement
    private var authors: Statement
    private var tags: Statement
    private var series: Statement
    private var publisher: Statement
    private var language: Statement
    private var isbn: Statement
    private var comments: Statement
    private var formats: Statement

    /// The values of the column that makes the categories; `nil` where none does, or there is none of that name.
    private var column: Statement?
    private let field: CategoryField

    /// Whether the column that makes the categories is there.
    let hasCategories: Bool

    /// Whether the database has tables of a Calibre's names.
    ///
    /// Views of those names would be somebody's trick.
    static func areThere(on connection: borrowing Connection) throws(SQLiteError) -> Bool {
        try connection.number(
            """
            SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('books', 'authors', 'tags', 'series',
                'publishers', 'languages', 'identifiers', 'comments', 'data', 'custom_columns', 'books_authors_link',
                'books_tags_link', 'books_series_link', 'books_publishers_link', 'books_languages_link')
            """) == 15
    }

    init(categories: CategoryField, on connection: borrowing Connection) throws(SQLiteError) {
        let books = try Statement(
            """
            SELECT id, uuid, title, path, series_index, has_cover, timestamp FROM books
            WHERE id > ?1 ORDER BY id LIMIT 1000
            """, on: connection)
        let authors = try Statement(
            """
            SELECT a.name, a.sort FROM books_authors_link AS l JOIN authors AS a ON a.id = l.author
            WHERE l.book = ?1 ORDER BY l.id
            """, on: connection)
        let tags = try Statement(
            "SELECT t.name FROM books_tags_link AS l JOIN tags AS t ON t.id = l.tag WHERE l.book = ?1 ORDER BY l.id",
            on: connection)
        let series = try Statement(
            "SELECT s.name FROM books_series_link AS l JOIN series AS s ON s.id = l.series WHERE l.book = ?1",
            on: connection)
        let publisher = try Statement(
            """
            SELECT p.name FROM books_publishers_link AS l JOIN publishers AS p ON p.id = l.publisher WHERE l.book = ?1
            """, on: connection)
        let language = try Statement(
            """
            SELECT g.lang_code FROM books_languages_link AS l JOIN languages AS g ON g.id = l.lang_code
            WHERE l.book = ?1 ORDER BY l.item_order LIMIT 1
            """, on: connection)
        let isbn = try Statement(
            "SELECT val FROM identifiers WHERE book = ?1 AND type = 'isbn'", on: connection)
        let comments = try Statement("SELECT text FROM comments WHERE book = ?1", on: connection)
        let formats = try Statement("SELECT format, name FROM data WHERE book = ?1 ORDER BY id", on: connection)
        let column = try Self.column(of: categories, on: connection)
        hasCategories = if case .column = categories { column != nil } else { true }
        self.books = books
        self.authors = authors
        self.tags = tags
        self.series = series
        self.publisher = publisher
        self.language = language
        self.isbn = isbn
        self.comments = comments
        self.formats = formats
        self.column = column
        field = categories
    }

    /// The values of a column that the owner of the library has added, of one book.
    private static func column(
        of field: CategoryField, on connection: borrowing Connection
    ) throws(SQLiteError) -> Statement? {
        guard case .column(let name) = field else { return nil }
        var number: UInt32?
        var isNormalised = false
        var find = try Statement("SELECT id, normalized FROM custom_columns WHERE label = ?1", on: connection)
        try find.forEachRow([.text(name)]) { (row) throws(SQLiteError) in
            number = UInt32(exactly: row.integer(at: 0))
            isNormalised = row.bool(at: 1)
        }
        guard let number else { return nil }
        if isNormalised {
            return try Statement(
                """
                SELECT c.value FROM books_custom_column_#N_link AS l JOIN custom_column_#N AS c ON c.id = l.value
                WHERE l.book = ?1 ORDER BY l.id
                """, numbered: number, on: connection)
        }
        return try Statement(
            "SELECT value FROM custom_column_#N WHERE book = ?1 ORDER BY id", numbered: number, on: connection)
    }

    /// Hands on each book, in the order in which they were added, until `body` says stop.
    mutating func forEachBook(
        _ body: (CalibreRow) throws(SQLiteError) -> Statement.Continuation
    ) throws(SQLiteError) {
        // A thousand at a time, so that memory stays flat.
        var last: Int64 = .min
        while true {
            let rows = try nextRows(after: last)
            guard let end = rows.last else { return }
            last = end.id
            for row in rows where try body(try completed(row)) == .stop { return }
        }
    }

    private mutating func nextRows(after last: Int64) throws(SQLiteError) -> [CalibreRow] {
        var rows: [CalibreRow] = []
        try books.forEachRow([.integer(last)]) { (row) throws(SQLiteError) in
            rows.append(
                CalibreRow(
                    id: row.integer(at: 0), uuid: row.text(at: 1), title: row.text(at: 2), path: row.text(at: 3),
                    seriesIndex: row.realOrNull(at: 4), hasCover: row.bool(at: 5),
                    addedAt: Timestamp.seconds(row.text(at: 6))))
        }
        return rows
    }

    private mutating func completed(_ row: CalibreRow) throws(SQLiteError) -> CalibreRow {
        var row = row
        let book: [Value] = [.integer(row.id)]
        try authors.forEachRow(book) { (author) throws(SQLiteError) in
            // A comma is kept as a bar, since commas stand between several in what Calibre reads.
            let name = author.text(at: 0).replacing("|", with: ",").trimmed
            guard !name.isEmpty else { return }
            row.authors.append(
                Author(name: name, sortName: author.textOrNull(at: 1)?.replacing("|", with: ",").trimmed))
        }
        row.series = try Self.texts(&series, book).first
        row.publisher = try Self.texts(&publisher, book).first
        row.language = try Self.texts(&language, book).first
        row.isbn = try Self.texts(&isbn, book).first
        try comments.forEachRow(book) { (text) throws(SQLiteError) in row.comments = text.text(at: 0) }
        try formats.forEachRow(book) { (format) throws(SQLiteError) in
            row.formats.append(CalibreRow.Format(format: format.text(at: 0), name: format.text(at: 1)))
        }
        row.categories = try categories(of: row, book)
        return row
    }

    private mutating func categories(of row: CalibreRow, _ book: [Value]) throws(SQLiteError) -> [String] {
        switch field {
        case .tags: return try Self.texts(&tags, book)
        case .series: return row.series.map { [$0] } ?? []
        case .publisher: return row.publisher.map { [$0] } ?? []
        case .column:
            var texts: [String] = []
            try column?.forEachRow(book) { (row) throws(SQLiteError) in Self.take(row.text(at: 0), into: &texts) }
            return texts
        }
    }

    /// The texts in the first column, without those that are empty or stood before.
    private static func texts(_ statement: inout Statement, _ book: [Value]) throws(SQLiteError) -> [String] {
        var texts: [String] = []
        try statement.forEachRow(book) { (row) throws(SQLiteError) in take(row.text(at: 0), into: &texts) }
        return texts
    }

    private static func take(_ text: String, into texts: inout [String]) {
        let text = text.trimmed
        if !text.isEmpty, !texts.contains(text) { texts.append(text) }
    }
}
