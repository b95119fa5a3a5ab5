internal import SQLite

/// The change history, as a transaction that changes rows appends to it.
///
/// A transaction that changes more than ``maximumRecorded`` things isn't written down one by one: the history is
/// compacted, so that those who follow it enumerate anew.
struct ChangeHistory: ~Copyable {
    /// How many changes one transaction writes down.
    static var maximumRecorded: Int { 20_000 }

    /// How many changes are kept.
    static var maximumKept: Int64 { 100_000 }

    private var insert: Statement
    private var recorded = 0

    /// Whether anything changed at all.
    private(set) var hasChanges = false

    init(on connection: borrowing Connection) throws(SQLiteError) {
        insert = try Statement(
            "INSERT INTO change (what, directory, name, target, former) VALUES (?1, ?2, ?3, ?4, ?5)", on: connection)
    }

    mutating func append(_ change: Change) throws(SQLiteError) {
        hasChanges = true
        recorded += 1
        if recorded <= Self.maximumRecorded { try insert.run(change.values) }
    }

    /// Marks that more changed than anybody should read one by one.
    mutating func appendMany() {
        hasChanges = true
        recorded = Self.maximumRecorded + 1
    }

    /// Compacts the history; to be called at the end of the transaction.
    mutating func finish(on connection: borrowing Connection) throws(SQLiteError) {
        guard hasChanges else { return }
        if recorded > Self.maximumRecorded {
            // A row of its own, so that the anchor moves; then nothing up to it can be read.
            try insert.run([.integer(0), .null, .null, .null, .null])
            let last = connection.lastInsertedRow
            try compact(through: last, on: connection)
        } else {
            let last = try connection.number("SELECT max(sequence) FROM change")
            let first = try connection.number("SELECT min(sequence) FROM change")
            if last - first > 2 * Self.maximumKept { try compact(through: last - Self.maximumKept, on: connection) }
        }
    }

    private func compact(through sequence: Int64, on connection: borrowing Connection) throws(SQLiteError) {
        try connection.run("DELETE FROM change WHERE sequence <= ?1", .integer(sequence))
        try connection.run("UPDATE property SET value = ?1 WHERE name = 'compacted_through'", .integer(sequence))
    }

    /// Where the history stands now.
    static func anchor(on connection: borrowing Connection) throws(SQLiteError) -> SyncAnchor {
        SyncAnchor(rawValue: try connection.number("SELECT seq FROM sqlite_sequence WHERE name = 'change'"))
    }
}
