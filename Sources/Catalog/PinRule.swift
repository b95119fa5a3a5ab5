internal import SQLite
internal import Shelf
internal import TextForms

/// A standing order to pin: every book that it fits, those that come later among them.
package struct PinRule: Hashable, Sendable {
    /// By what books are told.
    package enum Kind: String, Sendable {
        case category
        case author
        case series

        /// Every book; the name says nothing.
        case all
    }

    package let kind: Kind

    /// As the person wrote it; compared without regard to case.
    package let name: String

    package init(_ kind: Kind, _ name: String = "") {
        self.kind = kind
        self.name = name
    }

    var folded: String { name.foldedForComparison }
}

/// The rules of a catalog, and the books that they fit.
struct PinRules {
    private var categories: Set<String> = []
    private var authors: Set<String> = []
    private var series: Set<String> = []
    private var fitsAll = false

    private(set) var isEmpty = true

    init(on connection: borrowing Connection) throws(SQLiteError) {
        var select = try Statement("SELECT kind, folded FROM pin_rule", on: connection)
        var rules = PinRules(())
        try select.forEachRow([]) { (row) throws(SQLiteError) in
            let folded = row.text(at: 1)
            rules.isEmpty = false
            switch PinRule.Kind(rawValue: row.text(at: 0)) {
            case .category: rules.categories.insert(folded)
            case .author: rules.authors.insert(folded)
            case .series: rules.series.insert(folded)
            case .all: rules.fitsAll = true
            case nil: break
            }
        }
        self = rules
    }

    private init(_: Void) {}

    /// Pins the books that the rules fit, unless somebody has said otherwise of one.
    ///
    /// In the transaction of the caller.
    static func apply(on connection: borrowing Connection) throws(SQLiteError) {
        let rules = try PinRules(on: connection)
        guard !rules.isEmpty else { return }
        var pin = try Statement(pinStatement, on: connection)
        for book in try rules.fittingBooks(on: connection) { try pin.run([.integer(book)]) }
    }

    static var pinStatement: StaticString {
        "INSERT INTO personal (book, is_pinned) VALUES (?1, 1) ON CONFLICT (book) DO UPDATE SET is_pinned = 1"
    }

    /// The books that aren't pinned and are to be.
    private func fittingBooks(on connection: borrowing Connection) throws(SQLiteError) -> [Int64] {
        var directories = try Statement(
            "SELECT d.folded FROM dentry AS e JOIN directory AS d ON d.id = e.directory WHERE e.book = ?1",
            on: connection)
        var select = try Statement(
            """
            SELECT id, categories, authors, series FROM book AS b
            WHERE NOT is_revoked AND NOT EXISTS (SELECT 1 FROM personal AS p WHERE p.book = b.id AND p.is_pinned)
                AND NOT EXISTS (SELECT 1 FROM pin_exception AS x WHERE x.book = b.id)
            """, on: connection)
        var found: [Int64] = []
        try select.forEachRow([]) { (row) throws(SQLiteError) in
            let book = row.integer(at: 0)
            if fits(categories: row.text(at: 1), authors: row.text(at: 2), series: row.textOrNull(at: 3)) {
                found.append(book)
            } else if !categories.isEmpty {
                // As the directory is called, too.
                var isInDirectory = false
                try directories.forEachRow([.integer(book)]) { (row) throws(SQLiteError) in
                    if categories.contains(row.text(at: 0)) { isInDirectory = true }
                }
                if isInDirectory { found.append(book) }
            }
        }
        return found
    }

    private func fits(categories text: String, authors packed: String, series name: String?) -> Bool {
        if fitsAll { return true }
        if !categories.isEmpty,
            PackedList.unpack(text).contains(where: { categories.contains($0.foldedForComparison) })
        {
            return true
        }
        if !series.isEmpty, let name, series.contains(name.foldedForComparison) { return true }
        guard !authors.isEmpty else { return false }
        return PackedList.unpack(authors: packed).contains { author in
            authors.contains(author.name.foldedForComparison)
                || author.sortName.map { authors.contains($0.foldedForComparison) } ?? false
        }
    }
}
