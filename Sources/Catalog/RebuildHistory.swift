internal import SQLite

/// What was done about a damaged catalog.
package struct Rebuild: Sendable, Hashable {
    /// Seconds since 1970.
    package let at: Int64

    /// What was met, in the words of SQLite.
    package let reason: String

    /// Where the damaged database is now.
    package let keptAt: String

    /// How many rows were taken from it.
    package let salvagedRowCount: Int

    /// Whether every row of it could be read.
    package let isComplete: Bool

    /// What happened, in one line.
    package var words: String {
        let rows =
            isComplete
            ? "all of its \(salvagedRowCount) rows were saved"
            : "\(salvagedRowCount) rows were saved, others couldn't be read"
        return "the catalog was damaged (\(reason)) and was rebuilt: \(rows); the damaged file is kept at \(keptAt)"
    }

    /// What to do, in one line.
    package var advice: String {
        "Bring the books up to date with: bookshelf sync, and bookshelf import FILE for what was imported"
    }
}

/// The rebuildings of a catalog, kept in the small database beside it.
struct RebuildHistory {
    /// How many rebuildings an hour may bring: of a disk that fails, more would only fill it with copies.
    static var maximumCount: Int64 { 3 }

    private let path: String

    init(besideCatalogAt catalogPath: String) {
        path = catalogPath + ".mark"
    }

    /// The last one; `nil` if there was none, or nothing is known of it.
    var last: Rebuild? {
        guard let history = try? Connection(path, access: .read),
            var find = try? Statement(
                """
                SELECT at, reason, kept_at, row_count, is_complete FROM rebuild ORDER BY rowid DESC LIMIT 1
                """, on: history)
        else { return nil }
        var found: Rebuild?
        try? find.forEachRow([]) { (row) throws(SQLiteError) in
            found = Rebuild(
                at: row.integer(at: 0), reason: row.text(at: 1), keptAt: row.text(at: 2),
                salvagedRowCount: Int(row.integer(at: 3)), isComplete: row.bool(at: 4))
        }
        return found
    }

    func allowsAnother(at now: Int64) -> Bool {
        guard let history = try? Connection(path, access: .read),
            let count = try? history.number(
                "SELECT count(*) FROM rebuild WHERE at BETWEEN ?1 AND ?2", .integer(now - 3_600), .integer(now))
        else { return true }
        return count < Self.maximumCount
    }

    /// Notes one; that it can't be noted is no reason to fail.
    func note(_ rebuild: Rebuild) {
        guard let history = try? Connection(path, access: .create) else { return }
        try? history.execute("CREATE TABLE IF NOT EXISTS rebuild (at INTEGER, reason, kept_at, row_count, is_complete)")
        try? history.run(
            "INSERT INTO rebuild VALUES (?1, ?2, ?3, ?4, ?5)", .integer(rebuild.at), .text(rebuild.reason),
            .text(rebuild.keptAt), .integer(Int64(rebuild.salvagedRowCount)), .bool(rebuild.isComplete))
    }
}
