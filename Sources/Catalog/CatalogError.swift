internal import SQLite

/// Why the catalog couldn't answer or take something.
package enum CatalogError: Error, Hashable, Sendable {
    /// Another process has been writing for longer than the time that one waits.
    case busy

    /// The database is damaged; it is marked, and the next opening for writing finds the mark.
    case damaged(reason: String)

    /// The database was rebuilt, replaced or removed after it had been opened; nothing was changed.
    case replaced

    /// The file system that holds the database has no room left; what was committed before is safe.
    case full

    /// A newer version of this program wrote the database; nothing was touched.
    case newer(found: Int, supported: Int)

    /// A migration failed; the database is as it was before, and its backup stands beside it.
    case migrationFailed(version: Int, reason: String, backup: String)

    /// There is no catalog yet.
    case absent(path: String)

    case unknownSource(name: String)
    case sourceExists(name: String)
    case other(reason: String)

    /// Takes an error of SQLite; damage is marked beside the catalog, whoever meets it.
    init(_ error: SQLiteError) {
        switch error.kind {
        case .busy: self = .busy
        case .corrupt:
            if let path = error.damagedFile, !path.isEmpty {
                DamageMark(besideCatalogAt: path).set(reason: error.message)
            }
            self = .damaged(reason: error.message)
        case .moved: self = .replaced
        case .full: self = .full
        case .constraint, .other: self = .other(reason: error.description)
        }
    }

    /// What happened and what to do, in one line.
    package var reason: String {
        switch self {
        case .busy: "another command is writing to the catalog; try again when it has ended"
        case .damaged(let reason):
            "the catalog database is damaged (\(reason)); the next command rebuilds it from what can be read of it"
        case .replaced: "the catalog was rebuilt or replaced meanwhile, and nothing was changed; run the command again"
        case .full: "no room left on the disk that holds the catalog; nothing was changed"
        case .newer(let found, let supported):
            "the catalog was written by a newer bookshelf (format \(found), this one reads up to \(supported)); it was not touched: use the newer program"
        case .migrationFailed(let version, let reason, let backup):
            "the catalog could not be brought to format \(version): \(reason); it is as it was before, and a copy is at \(backup)"
        case .absent(let path):
            "there is no catalog at \(path) yet: add a source with `bookshelf source add`, or import a catalog with `bookshelf import FILE`"
        case .unknownSource(let name): "no source is called “\(name)”; bookshelf source list shows them"
        case .sourceExists(let name): "a source is called “\(name)” already; remove it first, or choose another name"
        case .other(let reason): "the catalog database failed: \(reason)"
        }
    }
}

/// Runs `body` and turns what SQLite throws into what a caller of the catalog can act on.
func translating<Success: ~Copyable>(
    _ body: () throws(SQLiteError) -> Success
) throws(CatalogError) -> Success {
    do throws(SQLiteError) { return try body() } catch { throw CatalogError(error) }
}
