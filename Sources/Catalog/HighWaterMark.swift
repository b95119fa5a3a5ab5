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

    /// Whether a catalog has ever been filled here.
    var isThere: Bool { DatabaseFile(path).byteCount ?? 0 > 0 }

    /// The highest number that a catalog may have given; `nil` where none is known.
    var number: Int64? {
        guard let mark = try? Connection(path, access: .read),
            let number = try? mark.number("SELECT ifnull(max(number), 0) FROM mark"), number > 0
        else { return nil }
        return number
    }

    /// Moves the mark above every number that the catalog has given.
    func raise(above catalog: borrowing Connection) throws(SQLiteError) {
        let last = try catalog.number("SELECT ifnull(max(seq), 0) FROM sqlite_sequence")
        do throws(SQLiteError) {
            try raise(above: last)
        } catch {
            // A mark that is damaged itself says nothing any more; the catalog does, which isn't.
            guard error.kind == .corrupt else { throw error }
            DatabaseFile(path).remove()
            try raise(above: last)
        }
    }

    private func raise(above last: Int64) throws(SQLiteError) {
        let mark = try Connection(path, access: .create)
        try mark.execute("CREATE TABLE IF NOT EXISTS mark (number INTEGER NOT NULL)")
        guard try mark.number("SELECT ifnull(max(number), 0) FROM mark") <= last else { return }
        try mark.run("INSERT INTO mark VALUES (?1)", .integer((last / Self.step + 2) * Self.step))
    }

    /// Makes a new catalog give numbers above the mark alone.
    func apply(to catalog: borrowing Connection) throws(SQLiteError) {
        guard let number else { return }
        for table in ["book", "version", "directory", "change", "source"] {
            try Self.raise(table, to: number, in: catalog)
        }
    }

    /// Makes a table give numbers above `number` alone.
    static func raise(_ table: String, to number: Int64, in catalog: borrowing Connection) throws(SQLiteError) {
        let last = try catalog.number("SELECT seq FROM sqlite_sequence WHERE name = ?1", .text(table))
        try catalog.run("DELETE FROM sqlite_sequence WHERE name = ?1", .text(table))
        try catalog.run(
            "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", .text(table), .integer(max(last, number)))
    }
}
