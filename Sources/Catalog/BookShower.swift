internal import SQLite
internal import Shelf

/// Puts books on the shelf or takes them off it by what the catalog says of them.
///
/// Lives for one transaction.
struct BookShower: ~Copyable {
    private var load: Statement
    private let arrangement: Arrangement

    /// - Parameters:
    ///   - arrangement: Of the shelf.
    ///   - connection: With the write transaction open.
    /// - Throws: ``SQLiteError``.
    init(arrangement: Arrangement, on connection: borrowing Connection) throws(SQLiteError) {
        let load = try Statement(
            """
            SELECT v.id, b.title, b.authors, b.categories, v.media_type, v.byte_count, b.is_purchased, b.is_sample,
                b.title_sort, b.series, b.series_index, b.language, b.publisher, b.isbn, s.kind
            FROM book AS b JOIN version AS v ON v.book = b.id AND v.superseded_at IS NULL
                JOIN source AS s ON s.id = b.source
            WHERE b.id = ?1 AND NOT b.is_revoked AND v.byte_count IS NOT NULL
            """, on: connection)
        // A throw must find either nothing or everything initialised.
        self.load = load
        self.arrangement = arrangement
    }

    /// Puts a book on the shelf that stood there a moment ago.
    mutating func show(
        _ book: BookID, shelf: inout ShelfWriter, on connection: borrowing Connection
    ) throws(SQLiteError) {
        if let candidate = try candidate(book) { try shelf.show(candidate.book, on: connection) }
    }

    /// Shows a book whose content has become known, if such books stand on the shelf and it doesn't.
    mutating func showIfDue(
        _ book: BookID, shelf: inout ShelfWriter, on connection: borrowing Connection
    ) throws(SQLiteError) {
        guard let candidate = try candidate(book) else { return }
        let showsSamples = try SamplePolicy.areSamplesShown(on: connection)
        let isDue = candidate.isPurchased || (candidate.isSample && showsSamples)
        if isDue, try !shelf.isShown(book) { try shelf.show(candidate.book, on: connection) }
    }

    /// Makes the entries of a book lead to its current content.
    mutating func replaceContent(
        of book: BookID, formerByteCount: Int64, shelf: inout ShelfWriter, on connection: borrowing Connection
    ) throws(SQLiteError) {
        guard let candidate = try candidate(book), try shelf.isShown(book) else { return }
        try shelf.update(candidate.book, isRenamed: false, formerByteCount: formerByteCount, on: connection)
    }

    /// Shows or hides every sample that isn't purchased.
    mutating func setSamplesShown(
        _ areShown: Bool, through last: BookID? = nil, shelf: inout ShelfWriter, on connection: borrowing Connection
    ) throws(SQLiteError) {
        var find = try Statement(
            "SELECT id FROM book WHERE is_sample AND NOT is_purchased AND NOT is_revoked AND id <= ?1 ORDER BY id",
            on: connection)
        var samples: [BookID] = []
        try find.forEachRow([.integer(last?.rawValue ?? .max)]) { (row) throws(SQLiteError) in
            samples.append(BookID(rawValue: row.integer(at: 0)))
        }
        for sample in samples {
            guard let candidate = try candidate(sample) else { continue }
            switch (try shelf.isShown(sample), areShown) {
            case (false, true): try shelf.show(candidate.book, on: connection)
            case (true, false): try shelf.hide(sample, byteCount: candidate.book.byteCount)
            case (true, true), (false, false): break
            }
        }
    }

    private struct Candidate {
        let book: ShelvedBook
        let isPurchased: Bool
        let isSample: Bool
    }

    private mutating func candidate(_ book: BookID) throws(SQLiteError) -> Candidate? {
        var found: Candidate?
        try load.forEachRow([.integer(book.rawValue)]) { (row) throws(SQLiteError) in
            let shelved = ShelvedBook(
                ShelvedBook.Description(
                    id: book, version: VersionID(rawValue: row.integer(at: 0)), title: row.text(at: 1),
                    authors: row.text(at: 2), categories: row.text(at: 3), mediaType: row.textOrNull(at: 4),
                    byteCount: row.integer(at: 5),
                    details: arrangement.isByCategoryAlone ? nil : ShelvedBook.Details(row, from: 8)),
                in: arrangement)
            found = Candidate(book: shelved, isPurchased: row.bool(at: 6), isSample: row.bool(at: 7))
        }
        return found
    }
}
