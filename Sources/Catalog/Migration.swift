package import SQLite

/// One step from a format of the catalog to the next.
package struct Migration: Sendable {
    /// The format that the catalog has afterwards, kept as `PRAGMA user_version`.
    package let version: Int

    /// What makes it so; run one after the other in one transaction.
    package let scripts: [StaticString]

    /// - Parameters:
    ///   - version: One more than the format before.
    ///   - scripts: Statements.
    package init(version: Int, sql scripts: StaticString...) {
        self.version = version
        self.scripts = scripts
    }

    /// All of them, in order.
    package static var all: [Migration] {
        [
            Migration(version: 1, sql: Schema.first, Schema.bookIndexes, Schema.entryIndexes),
            Migration(version: 2, sql: Schema.pins),
            Migration(version: 3, sql: Schema.searchApart),
            Migration(version: 4, sql: Schema.nestedDirectories),
        ]
    }
}

/// Brings a database to the newest format.
///
/// A new database is made in one transaction. An older one is copied to a backup beside it first; each step is a
/// transaction of its own, and when one fails the copy is put back over the database.
package struct Migrator {
    private let path: String
    private let migrations: [Migration]

    /// - Parameters:
    ///   - path: Of the database; a backup stands beside it.
    ///   - migrations: All of them, in order.
    package init(path: String, migrations: [Migration] = Migration.all) {
        self.path = path
        self.migrations = migrations
    }

    /// Brings the database to the newest format; does nothing where it has that.
    ///
    /// - Parameter connection: Opened on `path`, outside of any transaction.
    /// - Throws: ``CatalogError/newer(found:supported:)`` with nothing touched, or
    ///   ``CatalogError/migrationFailed(version:reason:backup:)`` with the database as it was.
    package func run(on connection: borrowing Connection) throws(CatalogError) {
        let found = try refuseNewer(connection)
        let pending = migrations.filter { $0.version > found }
        guard !pending.isEmpty else { return }
        if found == 0 {
            for migration in pending { _ = try apply(migration, on: connection) }
            return
        }
        try migrate(from: found, through: pending, on: connection)
    }

    /// - Returns: The format that the database has; 0 for a new one.
    /// - Throws: ``CatalogError/newer(found:supported:)``, or ``CatalogError/damaged(reason:)`` for what isn't a database.
    @discardableResult
    func refuseNewer(_ connection: borrowing Connection) throws(CatalogError) -> Int {
        let found = Int(try translating { () throws(SQLiteError) in try connection.number("PRAGMA user_version") })
        let supported = migrations.last?.version ?? 0
        guard found <= supported else { throw .newer(found: found, supported: supported) }
        return found
    }

    /// - Returns: Whether it was needed: another process may have been first.
    @discardableResult
    private func apply(_ migration: Migration, on connection: borrowing Connection) throws(CatalogError) -> Bool {
        try connection.write(wrapping: CatalogError.init) { () throws(CatalogError) in
            try translating { () throws(SQLiteError) in
                guard try connection.number("PRAGMA user_version") < migration.version else { return false }
                for script in migration.scripts { try connection.execute(script) }
                try connection.setVersion(Int32(migration.version), applicationID: Schema.applicationID)
                return true
            }
        }
    }

    private func migrate(
        from found: Int, through pending: [Migration], on connection: borrowing Connection
    ) throws(CatalogError) {
        let backup = "\(path).backup-\(found)"
        try translating { () throws(SQLiteError) in
            let copy = try Connection(backup, access: .create)
            try connection.copy(over: copy)
        }
        for migration in pending {
            do throws(CatalogError) {
                try apply(migration, on: connection)
            } catch {
                try translating { () throws(SQLiteError) in
                    let copy = try Connection(backup, access: .read)
                    try copy.copy(over: connection)
                }
                throw .migrationFailed(version: migration.version, reason: error.reason, backup: backup)
            }
        }
    }
}
