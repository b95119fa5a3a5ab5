internal import SQLite
internal import TextForms

/// The tables of a search index.
enum SearchIndexSchema {
    /// Made before the first book comes.
    ///
    /// An entry is a book as it was indexed, under the number of its row in `terms`. Up to `main_count` entries stand in the order in
    /// which they are shown: purchased ones first, up to `purchased_count`, then by the key of their title. So the best of very many
    /// come first without being ranked. Later ones stand behind, in the order in which they came. An entry that no longer holds is
    /// removed here; its row in `terms` stays until the index is made anew, as FTS5 can take one out only by its text.
    static var tables: StaticString {
        """
        CREATE TABLE property (name TEXT PRIMARY KEY NOT NULL, value) WITHOUT ROWID;
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY,
            book INTEGER NOT NULL,
            is_purchased INTEGER NOT NULL,
            key TEXT NOT NULL,
            digest INTEGER NOT NULL
        );
        CREATE VIRTUAL TABLE terms USING fts5(title, authors, description, content='', columnsize=0, tokenize='ascii');

        -- Every word there is, as a term: what a typed beginning may go on to.
        CREATE TABLE word (term TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
        """
    }

    /// Made when all books of a new index are in it.
    static var indexes: StaticString { "CREATE UNIQUE INDEX entry_book ON entry(book)" }

    /// For the time in which a new index is filled: few large pieces, merged once at the end.
    static var filling: StaticString {
        """
        INSERT INTO terms(terms, rank) VALUES('automerge', 0), ('crisismerge', 1000), ('hashsize', 2097152);
        """
    }

    static var filled: StaticString {
        """
        INSERT INTO terms(terms) VALUES('optimize');
        INSERT INTO terms(terms, rank) VALUES('automerge', 4), ('crisismerge', 16), ('hashsize', 1048576);

        CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, terms, row);
        INSERT INTO word SELECT term FROM temp.vocabulary WHERE term >= 'a' AND term < 'b' ORDER BY term;
        INSERT INTO word SELECT term FROM temp.vocabulary WHERE term >= 'd' AND term < 'e' ORDER BY term;
        INSERT INTO word SELECT term FROM temp.vocabulary WHERE term >= 't' AND term < 'u' ORDER BY term;
        DROP TABLE temp.vocabulary;
        """
    }

    /// By which rules its texts became terms: those of a library may change with it.
    static var rules: String { "1 \(SearchUnits.tableVersion)" }
}

/// What an index knows of itself.
enum IndexProperty: String {
    /// Of the catalog.
    case identity

    /// Up to where the changes of the catalog are in it.
    case anchor

    case rules
    case mainCount = "main_count"
    case purchasedCount = "purchased_count"

    /// How many entries were removed.
    case removedCount = "removed_count"

    /// The highest number that was ever given to an entry.
    case lastEntry = "last_entry"

    static func number(_ property: IndexProperty, on index: borrowing Connection) throws(SQLiteError) -> Int64 {
        try index.number("SELECT value FROM property WHERE name = ?1", .text(property.rawValue))
    }

    static func text(_ property: IndexProperty, on index: borrowing Connection) throws(SQLiteError) -> String? {
        var text: String?
        var select = try Statement("SELECT value FROM property WHERE name = ?1", on: index)
        try select.forEachRow([.text(property.rawValue)]) { (row) throws(SQLiteError) in text = row.textOrNull(at: 0) }
        return text
    }

    static func set(
        _ property: IndexProperty, _ value: Value, on index: borrowing Connection
    ) throws(SQLiteError) {
        try index.run("INSERT OR REPLACE INTO property VALUES (?1, ?2)", .text(property.rawValue), value)
    }
}
