internal import SQLite
internal import Shelf

/// How the shelf of a catalog is arranged, as the catalog has it written down: every merge keeps to it, whoever makes it.
enum ArrangementProperty {
    /// - Returns: By category, where nothing was written or it is of another version.
    /// - Throws: ``SQLiteError``.
    static func read(on connection: borrowing Connection) throws(SQLiteError) -> Arrangement {
        var select = try Statement("SELECT value FROM property WHERE name = 'arrangement'", on: connection)
        var text: String?
        try select.forEachRow([]) { (row) throws(SQLiteError) in text = row.text(at: 0) }
        return text.flatMap(Arrangement.init(text:)) ?? Arrangement()
    }

    /// - Throws: ``SQLiteError``.
    static func write(_ arrangement: Arrangement, on connection: borrowing Connection) throws(SQLiteError) {
        try connection.run(
            "INSERT INTO property VALUES ('arrangement', ?1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            .text(arrangement.text))
    }
}
