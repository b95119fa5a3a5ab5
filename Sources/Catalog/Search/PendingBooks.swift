internal import SQLite
internal import Shelf

/// The books that an index doesn't hold as they are.
enum PendingBooks {
    /// Those that changed, came or went; the index is up to date when it has looked at them.
    case books([BookID], through: SyncAnchor)

    /// The history doesn't reach back so far: any book may be among them.
    case expired

    static func after(_ anchor: SyncAnchor, on catalog: borrowing Connection) throws(SQLiteError) -> PendingBooks {
        // All questions must see one state: a compaction between them would hide changes.
        try catalog.execute("BEGIN")
        defer { try? catalog.execute("COMMIT") }
        let compacted = SyncAnchor(
            rawValue: try catalog.number("SELECT value FROM property WHERE name = 'compacted_through'"))
        let now = try ChangeHistory.anchor(on: catalog)
        guard anchor >= compacted, anchor <= now else { return .expired }
        guard anchor < now else { return .books([], through: now) }
        var books: [BookID] = []
        var select = try Statement(
            "SELECT DISTINCT target FROM change WHERE sequence > ?1 AND what = ?2 ORDER BY target", on: catalog)
        try select.forEachRow([.integer(anchor.rawValue), .integer(Change.bookKind)]) { (row) throws(SQLiteError) in
            books.append(BookID(rawValue: row.integer(at: 0)))
        }
        return .books(books, through: now)
    }
}
