internal import SQLite
internal import Shelf
internal import TextForms

/// Finds a free name for a book whose title is taken in a directory.
///
/// A catalog may hold a hundred thousand books of one title: numbers are found by doubling and halving, and where a
/// search ended is remembered.
struct NameFinder: ~Copyable {
    /// How many searches are remembered.
    private static var maximumRemembered: Int { 16_384 }

    private struct Search: Hashable {
        let directory: DirectoryID
        let folded: String
    }

    private var probe: Statement
    private var nextAttempts: [Search: Int] = [:]

    /// All names there are, while an empty tree is being filled; `nil` otherwise.
    private var names: TextSet?

    init(on connection: borrowing Connection) throws(SQLiteError) {
        probe = try Statement(
            """
            SELECT 1 FROM dentry WHERE directory = ?1 AND folded = ?2
            UNION ALL SELECT 1 FROM directory WHERE parent = ?1 AND folded = ?2
            """, on: connection)
    }

    /// Whether names are noted here rather than found in the table.
    var notesNames: Bool { names != nil }

    /// Notes names here from now on, as the table, which is empty, has no index of them.
    mutating func beginNoting() {
        names = TextSet()
    }

    /// Finds names in the table from now on.
    mutating func endNoting() {
        names = nil
    }

    /// Notes a name.
    ///
    /// - Parameters:
    ///   - folded: In the form in which names are compared.
    ///   - directory: Where it is to stand.
    /// - Returns: Whether it was free. Hardly ever a free name counts as taken: the book then gets a longer one.
    mutating func note(_ folded: String, in directory: DirectoryID) -> Bool {
        names?.insert(folded, in: directory.rawValue) ?? false
    }

    /// Notes the name of a directory, while names are noted here.
    mutating func noteIfNeeded(_ folded: String, in directory: DirectoryID) {
        if names != nil { _ = note(folded, in: directory) }
    }

    mutating func isTaken(_ name: String, in directory: DirectoryID) throws(SQLiteError) -> Bool {
        if let names { return names.contains(name.foldedForComparison, in: directory.rawValue) }
        var isTaken = false
        try probe.forEachRow([.integer(directory.rawValue), .text(name.foldedForComparison)]) { (_) in isTaken = true }
        return isTaken
    }

    /// A name that nothing in `directory` has, other than the best one.
    mutating func freeName(
        of book: ShelvedBook, at placement: Placement, in directory: DirectoryID
    ) throws(SQLiteError) -> String {
        let search = Search(
            directory: directory, folded: book.name(attempt: 1, at: placement).foldedForComparison)
        var taken = (nextAttempts[search] ?? 1) - 1
        var step = 1
        while try isTaken(book.name(attempt: taken + step, at: placement), in: directory) {
            taken += step
            step *= 2
        }
        var free = taken + step
        while free - taken > 1 {
            let middle = (free + taken) / 2
            let name = book.name(attempt: middle, at: placement)
            if try isTaken(name, in: directory) { taken = middle } else { free = middle }
        }
        if nextAttempts.count >= Self.maximumRemembered { nextAttempts.removeAll(keepingCapacity: true) }
        nextAttempts[search] = free + 1
        return book.name(attempt: free, at: placement)
    }
}
