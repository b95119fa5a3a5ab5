internal import SQLite

/// The numbers above which a rebuilt catalog begins, in a small database beside the catalog.
///
/// Numbers of books and versions are never used again: the kernel, caches and other programs know files by them. A
/// catalog that is damaged can't be asked for its last numbers, so they are kept apart, in steps that are written once
/// in a million.
struct HighWaterMark {
    /// How far the mark runs ahead of the numbers in use.
    private static var step: Int64 { 1_000_000 }

    private let path: String

    /// - Parameter catalogPath: Of the catalog that the mark is for.
    init(besideCatalogAt catalogPath: String) {
        path = catalogPath + ".mark"
    }

    /// Moves the mark above every number that the catalog has given.
    func raise(above catalog: borrowing Connection) throws(SQLiteError) {
        let last = try catalog.number("SELECT ifnull(max(seq), 0) FROM sqlite_sequence")
        let mark = try Connection(path, access: .create)
        try mark.execute("CREATE TABLE IF NOT EXISTS mark (number INTEGER NOT NULL)")
        guard try mark.number("SELECT ifnull(max(number), 0) FROM mark") <= last else { return }
        try mark.run("INSERT INTO mark VALUES (?1)", .integer((last / Self.step + 2) * Self.step))
    }

    /// Makes a new catalog give numbers above the mark alone.
    func apply(to catalog: borrowing Connection) throws(SQLiteError) {
        guard let mark = try? Connection(path, access: .read),
            let number = try? mark.number("SELECT ifnull(max(number), 0) FROM mark"), number > 0
        else { return }
        for table in ["book", "version", "directory", "change", "source"] {
            try catalog.run("DELETE FROM sqlite_sequence WHERE name = ?1", .text(table))
            try catalog.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", .text(table), .integer(number))
        }
    }
}
