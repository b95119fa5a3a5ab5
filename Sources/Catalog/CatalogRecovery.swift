internal import SQLite

/// Rebuilds a catalog that is damaged.
///
/// The damaged files are moved aside, never deleted. A new catalog takes from them, row by row, what no source can give
/// again: annotations, pins, purchases and what waits to be sent, with the books that they belong to. Those books are not
/// on the shelf until a sync lists them; they keep their numbers then.
package struct CatalogRecovery {
    /// What was done.
    package struct Report: Sendable, Equatable {
        /// Where the damaged database is now.
        package let movedTo: String

        /// How many rows were taken from it.
        package let salvagedRowCount: Int
    }

    private let path: String

    /// - Parameter path: Of the damaged catalog, which no process has open.
    package init(path: String) {
        self.path = path
    }

    /// Moves the damaged catalog aside and makes a new one.
    ///
    /// - Parameters:
    ///   - now: Seconds since 1970, for the name of what is moved aside.
    ///   - move: Renames a file that may not be there; rename(2).
    /// - Returns: What was done.
    /// - Throws: ``CatalogError`` if there can't be a new one; the damaged one is then still where it was moved.
    package func rebuild(now: Int64, move: (_ from: String, _ to: String) -> Void) throws(CatalogError) -> Report {
        let aside = "\(path).damaged-\(now)"
        // With its journal, which may hold what is missing in it.
        for suffix in ["", "-wal", "-shm"] { move(path + suffix, aside + suffix) }
        let catalog = try CatalogFile.openForWriting(path)
        try translating { () throws(SQLiteError) in
            try HighWaterMark(besideCatalogAt: path).apply(to: catalog)
        }
        let count = salvage(from: aside, into: catalog)
        return Report(movedTo: aside, salvagedRowCount: count)
    }

    private func salvage(from aside: String, into catalog: borrowing Connection) -> Int {
        guard (try? catalog.run("ATTACH ?1 AS old", .text(aside))) != nil else { return 0 }
        defer { try? catalog.execute("DETACH old") }
        var count = 0
        for table in SalvagedTable.all { count += (try? table.salvage(on: catalog)) ?? 0 }
        return count
    }
}

/// A table whose rows are taken from a damaged database as far as they can be read.
private struct SalvagedTable {
    /// Row numbers from the first on.
    let ascending: StaticString

    /// Row numbers from the last on, for what stands behind a damaged page.
    let descending: StaticString

    /// Copies the row of a number.
    let copy: StaticString

    /// Rows that refer to others come after them.
    static var all: [SalvagedTable] {
        [
            SalvagedTable(
                ascending: "SELECT rowid FROM old.source ORDER BY rowid",
                descending: "SELECT rowid FROM old.source ORDER BY rowid DESC",
                copy: """
                    INSERT OR IGNORE INTO main.source (id, name, kind, location, options, allows_plain_http, is_removed)
                    SELECT id, name, kind, location, options, allows_plain_http, is_removed FROM old.source
                    WHERE rowid = ?1
                    """),
            SalvagedTable(
                ascending: "SELECT rowid FROM old.book ORDER BY rowid",
                descending: "SELECT rowid FROM old.book ORDER BY rowid DESC",
                copy: """
                    INSERT OR IGNORE INTO main.book (id, source, key, fingerprint, title, authors, categories,
                        is_purchased, is_sample, updated_at, is_revoked)
                    SELECT id, source, key, 0, title, authors, categories, is_purchased, is_sample, updated_at, 1
                    FROM old.book WHERE rowid = ?1
                    """),
            SalvagedTable(
                ascending: "SELECT rowid FROM old.personal ORDER BY rowid",
                descending: "SELECT rowid FROM old.personal ORDER BY rowid DESC",
                copy: "INSERT OR IGNORE INTO main.personal SELECT * FROM old.personal WHERE rowid = ?1"),
            SalvagedTable(
                ascending: "SELECT rowid FROM old.pin_rule ORDER BY rowid",
                descending: "SELECT rowid FROM old.pin_rule ORDER BY rowid DESC",
                copy: "INSERT OR IGNORE INTO main.pin_rule SELECT * FROM old.pin_rule WHERE rowid = ?1"),
            SalvagedTable(
                ascending: "SELECT rowid FROM old.pin_exception ORDER BY rowid",
                descending: "SELECT rowid FROM old.pin_exception ORDER BY rowid DESC",
                copy: "INSERT OR IGNORE INTO main.pin_exception SELECT * FROM old.pin_exception WHERE rowid = ?1"),
            SalvagedTable(
                ascending: "SELECT rowid FROM old.annotation ORDER BY rowid",
                descending: "SELECT rowid FROM old.annotation ORDER BY rowid DESC",
                copy: "INSERT OR IGNORE INTO main.annotation SELECT * FROM old.annotation WHERE rowid = ?1"),
            SalvagedTable(
                ascending: "SELECT rowid FROM old.purchase ORDER BY rowid",
                descending: "SELECT rowid FROM old.purchase ORDER BY rowid DESC",
                copy: "INSERT OR IGNORE INTO main.purchase SELECT * FROM old.purchase WHERE rowid = ?1"),
            SalvagedTable(
                ascending: "SELECT rowid FROM old.outbox ORDER BY rowid",
                descending: "SELECT rowid FROM old.outbox ORDER BY rowid DESC",
                copy: "INSERT OR IGNORE INTO main.outbox SELECT * FROM old.outbox WHERE rowid = ?1"),
        ]
    }

    /// - Returns: How many rows were taken.
    func salvage(on catalog: borrowing Connection) throws(SQLiteError) -> Int {
        var count = 0
        try catalog.execute("BEGIN IMMEDIATE")
        defer { try? catalog.execute("COMMIT") }
        var copy = try Statement(copy, on: catalog)
        for direction in [ascending, descending] {
            // A page that can't be read ends the way from this side; what was taken stays.
            guard var rows = try? Statement(direction, on: catalog) else { continue }
            try? rows.forEachRow([]) { (row) throws(SQLiteError) in
                // A row that can't be copied is left behind alone.
                guard (try? copy.run([.integer(row.integer(at: 0))])) != nil else { return }
                count += catalog.changedRowCount
            }
        }
        return count
    }
}
