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

    init(on connection: borrowing Connection) throws(SQLiteError) {
        probe = try Statement("SELECT 1 FROM dentry WHERE directory = ?1 AND folded = ?2", on: connection)
    }

    mutating func isTaken(_ name: String, in directory: DirectoryID) throws(SQLiteError) -> Bool {
        var isTaken = false
        try probe.forEachRow([.integer(directory.rawValue), .text(name.foldedForComparison)]) { (_) in isTaken = true }
        return isTaken
    }

    /// A name that nothing in `directory` has, other than the bare title.
    mutating func freeName(of book: ShelvedBook, in directory: DirectoryID) throws(SQLiteError) -> String {
        let search = Search(directory: directory, folded: book.name(attempt: 1).foldedForComparison)
        var taken = (nextAttempts[search] ?? 1) - 1
        var step = 1
        while try isTaken(book.name(attempt: taken + step), in: directory) {
            taken += step
            step *= 2
        }
        var free = taken + step
        while free - taken > 1 {
            let middle = (free + taken) / 2
            if try isTaken(book.name(attempt: middle), in: directory) { taken = middle } else { free = middle }
        }
        if nextAttempts.count >= Self.maximumRemembered { nextAttempts.removeAll(keepingCapacity: true) }
        nextAttempts[search] = free + 1
        return book.name(attempt: free)
    }
}
