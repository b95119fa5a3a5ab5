internal import SQLite
internal import Shelf

/// Writes entries of a search index.
struct IndexEntries: ~Copyable {
    private var insert: Statement
    private var insertTerms: Statement
    private var text = TermText()

    init(on index: borrowing Connection) throws(SQLiteError) {
        let insert = try Statement("INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5)", on: index)
        let insertTerms = try Statement(
            "INSERT INTO terms(rowid, title, authors, description) VALUES (?1, ?2, ?3, ?4)", on: index)
        // A throw must find either nothing or everything initialised.
        self.insert = insert
        self.insertTerms = insertTerms
    }

    /// - Parameters:
    ///   - id: Above all that were given before.
    ///   - book: What it is about.
    /// - Throws: ``SQLiteError``.
    mutating func add(_ id: Int64, _ book: IndexedBook) throws(SQLiteError) {
        let document = book.document
        let key = document.key
        try insert.run([
            .integer(id), .integer(book.id.rawValue), .bool(book.isPurchased), .text(key),
            .integer(book.digest),
        ])
        text.add(title: document.title, key: key)
        let title = text.take()
        text.add(names: document.names)
        let authors = text.take()
        text.add(description: document.description)
        try insertTerms.run([.integer(id), .text(title), .text(authors), .text(text.take())])
    }
}

/// A book of the catalog as it is indexed.
struct IndexedBook {
    let id: BookID
    let isPurchased: Bool
    let document: SearchDocument

    /// Differs where the entry would.
    var digest: Int64 { document.digest &* 2 &+ (isPurchased ? 1 : 0) }
}

/// Reads books of a catalog as they are indexed.
struct IndexedBookQuery: ~Copyable {
    private var select: Statement

    init(on catalog: borrowing Connection) throws(SQLiteError) {
        select = try Statement(
            "SELECT title, authors, description, is_purchased FROM book WHERE id = ?1 AND NOT is_revoked", on: catalog)
    }

    /// The texts of a book that count in a tier.
    ///
    /// - Returns: In the form for searching; `nil` if there is no such book, or its source no longer lists it.
    /// - Throws: ``SQLiteError``.
    mutating func texts(of id: BookID, in tier: SearchTier) throws(SQLiteError) -> [String]? {
        var texts: [String]?
        try select.forEachRow([.integer(id.rawValue)]) { (row) throws(SQLiteError) in
            let authors = tier == .title ? [] : PackedList.unpack(authors: row.text(at: 1))
            let description = tier == .everything ? row.textOrNull(at: 2) : nil
            let document = SearchDocument(title: row.text(at: 0), authors: authors, description: description)
            texts = [document.title] + document.names + [document.description]
        }
        return texts
    }

    /// - Returns: `nil` if there is no such book, or its source no longer lists it.
    mutating func book(_ id: BookID) throws(SQLiteError) -> IndexedBook? {
        var book: IndexedBook?
        try select.forEachRow([.integer(id.rawValue)]) { (row) throws(SQLiteError) in
            book = IndexedBook(
                id: id, isPurchased: row.bool(at: 3),
                document: SearchDocument(
                    title: row.text(at: 0), authors: PackedList.unpack(authors: row.text(at: 1)),
                    description: row.textOrNull(at: 2)))
        }
        return book
    }
}
