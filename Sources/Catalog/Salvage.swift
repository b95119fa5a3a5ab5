internal import SQLite

/// Takes from a damaged catalog, attached as `old`, all rows that can be read, under the numbers that they had.
///
/// Ranges of row numbers are copied; one that meets a damaged page is halved, until only the rows of that page are left
/// out. What is lost in a table may stand in an index of it still.
struct Salvage {
    /// How many ranges of one table may fail; a table whose root is damaged would be tried row by row for long.
    private static var maximumFailureCount: Int { 100_000 }

    /// Row numbers above it are taken for damage.
    private static var maximumRow: Int64 { 1 << 40 }

    /// How many rows were taken.
    private(set) var count = 0

    /// Whether a row couldn't be read.
    private(set) var hasLostRows = false

    /// Fills the tables of `main`, which are as a migration has made them; to be called outside of a transaction.
    ///
    /// - Throws: ``SQLiteError`` for what isn't the fault of the damaged catalog.
    mutating func run(on catalog: borrowing Connection) throws(SQLiteError) {
        try catalog.execute("DELETE FROM main.directory")
        for table in Self.numberedTables {
            let isComplete = try copyRanges(table, on: catalog)
            if !isComplete { hasLostRows = true }
        }
        try copyEntries(on: catalog)
        try copyNamedValues(on: catalog)
        try copyFromIndexes(on: catalog)
        try copySequences(on: catalog)
    }

    /// Rows between two numbers.
    private static var numberedTables: [StaticString] {
        [
            "INSERT OR IGNORE INTO main.source SELECT * FROM old.source NOT INDEXED WHERE id BETWEEN ?1 AND ?2",
            "INSERT OR IGNORE INTO main.book SELECT * FROM old.book NOT INDEXED WHERE id BETWEEN ?1 AND ?2",
            "INSERT OR IGNORE INTO main.version SELECT * FROM old.version NOT INDEXED WHERE id BETWEEN ?1 AND ?2",
            "INSERT OR IGNORE INTO main.directory SELECT * FROM old.directory NOT INDEXED WHERE id BETWEEN ?1 AND ?2",
            "INSERT OR IGNORE INTO main.personal SELECT * FROM old.personal NOT INDEXED WHERE book BETWEEN ?1 AND ?2",
            "INSERT OR IGNORE INTO main.pin_rule SELECT * FROM old.pin_rule NOT INDEXED WHERE id BETWEEN ?1 AND ?2",
            """
            INSERT OR IGNORE INTO main.pin_exception SELECT * FROM old.pin_exception NOT INDEXED WHERE book BETWEEN ?1 AND ?2
            """,
            "INSERT OR IGNORE INTO main.annotation SELECT * FROM old.annotation NOT INDEXED WHERE id BETWEEN ?1 AND ?2",
            "INSERT OR IGNORE INTO main.purchase SELECT * FROM old.purchase NOT INDEXED WHERE book BETWEEN ?1 AND ?2",
            "INSERT OR IGNORE INTO main.outbox SELECT * FROM old.outbox NOT INDEXED WHERE id BETWEEN ?1 AND ?2",
            "INSERT OR IGNORE INTO main.audit SELECT * FROM old.audit NOT INDEXED WHERE id BETWEEN ?1 AND ?2",
        ]
    }

    /// Entries of directories between two numbers; `dentry` is ordered by directory and position.
    private mutating func copyEntries(on catalog: borrowing Connection) throws(SQLiteError) {
        var failed: [Int64] = []
        let isComplete = try copyRanges(
            "INSERT OR IGNORE INTO main.dentry SELECT * FROM old.dentry NOT INDEXED WHERE directory BETWEEN ?1 AND ?2",
            failing: &failed, on: catalog)
        if isComplete { return }
        hasLostRows = true
        for directory in failed {
            try copyRanges(
                """
                INSERT OR IGNORE INTO main.dentry SELECT * FROM old.dentry NOT INDEXED
                WHERE directory = ?3 AND position BETWEEN ?1 AND ?2
                """, of: directory, on: catalog)
        }
    }

    // MARK: - Ranges

    @discardableResult
    private mutating func copyRanges(
        _ sql: StaticString, of parent: Int64? = nil, on catalog: borrowing Connection
    ) throws(SQLiteError) -> Bool {
        var failed: [Int64] = []
        return try copyRanges(sql, of: parent, failing: &failed, on: catalog)
    }

    /// - Parameters:
    ///   - sql: Copies the rows from ?1 to ?2, those of ?3 where there is one.
    ///   - parent: ?3.
    ///   - failed: Gets the numbers at which nothing can be read.
    ///   - catalog: With both databases, outside of a transaction.
    /// - Returns: Whether every range could be read.
    /// - Throws: ``SQLiteError`` for what isn't the fault of the damaged catalog.
    private mutating func copyRanges(
        _ sql: StaticString, of parent: Int64? = nil, failing failed: inout [Int64], on catalog: borrowing Connection
    ) throws(SQLiteError) -> Bool {
        // Where the table itself isn't there, the first page is damaged.
        guard var copy = try? Statement(sql, on: catalog) else { return false }
        // Wide ranges first, so that a limit leaves out only narrow ones.
        var ranges: [(first: Int64, last: Int64)] = [(0, Self.maximumRow)]
        var next = 0
        var failureCount = 0
        while next < ranges.count, failureCount < Self.maximumFailureCount {
            let (first, last) = ranges[next]
            next += 1
            do throws(SQLiteError) {
                let values: [Value] = [.integer(first), .integer(last)]
                try copy.run(parent.map { values + [.integer($0)] } ?? values)
                count += catalog.changedRowCount
            } catch {
                if error.kind == .full || error.kind == .busy { throw error }
                failureCount += 1
                if first == last {
                    failed.append(first)
                } else {
                    let middle = first + (last - first) / 2
                    ranges += [(first, middle), (middle + 1, last)]
                }
            }
        }
        return failureCount == 0
    }

    // MARK: - Others

    /// Takes the few rows that are found by a name, from both ends.
    private mutating func copyNamedValues(on catalog: borrowing Connection) throws(SQLiteError) {
        let tables: [[StaticString]] = [
            [
                "SELECT name, value FROM old.property ORDER BY name",
                "SELECT name, value FROM old.property ORDER BY name DESC",
                "UPDATE main.property SET value = ?2 WHERE name = ?1",
            ],
            [
                "SELECT name, value FROM old.setting ORDER BY name",
                "SELECT name, value FROM old.setting ORDER BY name DESC",
                "INSERT OR IGNORE INTO main.setting VALUES (?1, ?2)",
            ],
        ]
        for table in tables {
            var copy = try Statement(table[2], on: catalog)
            var isComplete = false
            for direction in table.prefix(2) where !isComplete {
                isComplete = readThrough(direction, on: catalog) { (row) throws(SQLiteError) in
                    try copy.run([
                        .text(row.text(at: 0)),
                        row.isText(at: 1) ? .text(row.text(at: 1)) : .integer(row.integer(at: 1)),
                    ])
                    count += catalog.changedRowCount
                }
                if !isComplete { hasLostRows = true }
            }
        }
    }

    /// Makes rows for books and sources of which an index tells the number and the key still.
    private mutating func copyFromIndexes(on catalog: borrowing Connection) throws(SQLiteError) {
        guard hasLostRows else { return }
        var addBook = try Statement(
            """
            INSERT OR IGNORE INTO main.book (id, source, key, fingerprint, title, authors, categories, is_purchased,
                is_sample, updated_at, is_revoked) VALUES (?1, ?2, ?3, 0, '', '', '', 0, 0, 0, 1)
            """, on: catalog)
        var addSource = try Statement(
            "INSERT OR IGNORE INTO main.source (id, name, kind, location, is_removed) VALUES (?1, ?2, 'store', '', 1)",
            on: catalog)
        let books: [StaticString] = [
            """
            SELECT id, source, key FROM old.book INDEXED BY book_key
            WHERE NOT EXISTS (SELECT 1 FROM main.book AS b WHERE b.id = book.id) ORDER BY source, key
            """,
            """
            SELECT id, source, key FROM old.book INDEXED BY book_key
            WHERE NOT EXISTS (SELECT 1 FROM main.book AS b WHERE b.id = book.id) ORDER BY source DESC, key DESC
            """,
        ]
        for direction in books {
            let isComplete = readThrough(direction, on: catalog) { (row) throws(SQLiteError) in
                guard (1...Self.maximumRow).contains(row.integer(at: 0)) else { return }
                try addBook.run([
                    .integer(row.integer(at: 0)), .integer(row.integer(at: 1)), .text(row.text(at: 2)),
                ])
                count += catalog.changedRowCount
            }
            if isComplete { break }
        }
        _ = readThrough("SELECT id, name FROM old.source INDEXED BY sqlite_autoindex_source_1", on: catalog) {
            (row) throws(SQLiteError) in
            guard (1...Self.maximumRow).contains(row.integer(at: 0)) else { return }
            try addSource.run([.integer(row.integer(at: 0)), .text(row.text(at: 1))])
            count += catalog.changedRowCount
        }
    }

    /// Makes the tables give numbers above those that the damaged catalog had given.
    private mutating func copySequences(on catalog: borrowing Connection) throws(SQLiteError) {
        var given: [(String, Int64)] = []
        let isComplete = readThrough("SELECT name, seq FROM old.sqlite_sequence", on: catalog) { (row) in
            if row.integer(at: 1) <= Self.maximumRow { given.append((row.text(at: 0), row.integer(at: 1))) }
        }
        if !isComplete { hasLostRows = true }
        for (table, number) in given { try HighWaterMark.raise(table, to: number, in: catalog) }
    }

    /// Passes rows on as far as they can be read.
    ///
    /// - Returns: Whether all could.
    private func readThrough(
        _ sql: StaticString, on catalog: borrowing Connection, _ body: (borrowing Row) throws(SQLiteError) -> Void
    ) -> Bool {
        guard var rows = try? Statement(sql, on: catalog) else { return false }
        do throws(SQLiteError) {
            try rows.forEachRow([], body)
            return true
        } catch {
            return false
        }
    }
}
