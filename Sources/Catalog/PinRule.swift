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
///
/// Whether a rule fits a book hangs on the book's row alone, so nothing has to be asked again until that changes.
struct PinRules {
    /// By which a directory knows its category.
    private var categories: Set<String> = []

    /// What rules of categories name and no directory is called yet.
    private var directoryNames: Set<String> = []
    private var authors: Set<String> = []
    private var series: Set<String> = []
    private var fitsAll = false

    private(set) var isEmpty = true

    init(on connection: borrowing Connection) throws(SQLiteError) {
        var select = try Statement("SELECT kind, folded FROM pin_rule", on: connection)
        var rules = PinRules(())
        var names: [String] = []
        try select.forEachRow([]) { (row) throws(SQLiteError) in
            let folded = row.text(at: 1)
            rules.isEmpty = false
            switch PinRule.Kind(rawValue: row.text(at: 0)) {
            case .category: names.append(folded)
            case .author: rules.authors.insert(folded)
            case .series: rules.series.insert(folded)
            case .all: rules.fitsAll = true
            case nil: break
            }
        }
        try rules.addCategories(names, on: connection)
        self = rules
    }

    /// Takes names for those of categories and of their directories, which differ where a file system refuses a character.
    private mutating func addCategories(_ names: [String], on connection: borrowing Connection) throws(SQLiteError) {
        var find = try Statement("SELECT facet FROM directory WHERE parent = ?1 AND folded = ?2", on: connection)
        for name in names {
            categories.insert(name)
            var isCalledSo = false
            try find.forEachRow([.integer(DirectoryID.root.rawValue), .text(name)]) { (row) throws(SQLiteError) in
                isCalledSo = true
                categories.insert(row.text(at: 0))
            }
            if !isCalledSo { directoryNames.insert(name) }
        }
    }

    private init(_: Void) {}

    /// Pins the books that the rules fit, unless somebody has said otherwise of one.
    ///
    /// In the transaction of the caller.
    ///
    /// - Parameters:
    ///   - ranges: The numbers of the books that are looked at; the others have been since the rules were made.
    ///   - connection: Of the catalog.
    /// - Throws: ``SQLiteError``.
    static func apply(to ranges: [ClosedRange<Int64>], on connection: borrowing Connection) throws(SQLiteError) {
        let rules = try PinRules(on: connection)
        guard !rules.isEmpty else { return }
        var pin = try Statement(pinStatement, on: connection)
        for book in try rules.fittingBooks(in: ranges, on: connection) { try pin.run([.integer(book)]) }
    }

    static var pinStatement: StaticString {
        "INSERT INTO personal (book, is_pinned) VALUES (?1, 1) ON CONFLICT (book) DO UPDATE SET is_pinned = 1"
    }

    /// The books that aren't pinned and are to be.
    private func fittingBooks(
        in ranges: [ClosedRange<Int64>], on connection: borrowing Connection
    ) throws(SQLiteError) -> [Int64] {
        var select = try Statement(
            """
            SELECT id, categories, authors, series FROM book AS b
            WHERE id BETWEEN ?1 AND ?2 AND NOT is_revoked
                AND NOT EXISTS (SELECT 1 FROM personal AS p WHERE p.book = b.id AND p.is_pinned)
                AND NOT EXISTS (SELECT 1 FROM pin_exception AS x WHERE x.book = b.id)
            """, on: connection)
        var found: [Int64] = []
        for range in ranges {
            try select.forEachRow([.integer(range.lowerBound), .integer(range.upperBound)]) {
                (row) throws(SQLiteError) in
                if fits(categories: row.text(at: 1), authors: row.text(at: 2), series: row.textOrNull(at: 3)) {
                    found.append(row.integer(at: 0))
                }
            }
        }
        return found
    }

    private func fits(categories text: String, authors packed: String, series name: String?) -> Bool {
        if fitsAll { return true }
        if !categories.isEmpty, fitsOne(of: PackedList.unpack(text)) { return true }
        if !series.isEmpty, let name, series.contains(name.foldedForComparison) { return true }
        guard !authors.isEmpty else { return false }
        return PackedList.unpack(authors: packed).contains { author in
            authors.contains(author.name.foldedForComparison)
                || author.sortName.map { authors.contains($0.foldedForComparison) } ?? false
        }
    }

    private func fitsOne(of listed: [String]) -> Bool {
        (listed.isEmpty ? [BookFacts.uncategorised] : listed).contains { category in
            categories.contains(category.foldedForComparison)
                || !directoryNames.isEmpty
                    && directoryNames.contains(FileName.directory(title: category.inNFC).foldedForComparison)
        }
    }
}
