import Catalog
import Foundation
import SQLite
import Testing

@Suite("Migration")
struct MigrationTests {
    private let first = Migration(version: 1, sql: "CREATE TABLE book (title TEXT); INSERT INTO book VALUES ('kept')")
    private let good = Migration(version: 2, sql: "ALTER TABLE book ADD COLUMN pages INTEGER")

    /// Fails in its second statement, after the first has changed something.
    private let bad = Migration(version: 3, sql: "DELETE FROM book; INSERT INTO nowhere VALUES (1)")

    @Test("An older catalog is brought to the newest format, and a copy of it stands beside it")
    func upgrades() throws {
        let catalog = try TemporaryCatalog()
        let connection = try Connection(catalog.path, access: .create)
        try Migrator(path: catalog.path, migrations: [first]).run(on: connection)
        try Migrator(path: catalog.path, migrations: [first, good]).run(on: connection)
        #expect(try connection.number("PRAGMA user_version") == 2)
        #expect(try connection.number("SELECT count(*) FROM book WHERE pages IS NULL") == 1)
        let backup = try Connection(catalog.path + ".backup-1", access: .read)
        #expect(try backup.number("PRAGMA user_version") == 1)
        #expect(try backup.number("SELECT count(*) FROM book") == 1)
    }

    @Test("A step that fails leaves the catalog as it was before the first, and the error names the copy")
    func restores() throws {
        let catalog = try TemporaryCatalog()
        let connection = try Connection(catalog.path, access: .create)
        try Migrator(path: catalog.path, migrations: [first]).run(on: connection)
        do {
            try Migrator(path: catalog.path, migrations: [first, good, bad]).run(on: connection)
            Issue.record("the bad step went through")
        } catch {
            guard case .migrationFailed(3, let reason, let backup) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(reason.contains("nowhere"))
            #expect(backup == catalog.path + ".backup-1")
            #expect(FileManager.default.fileExists(atPath: backup))
        }
        #expect(try connection.number("PRAGMA user_version") == 1)
        #expect(try connection.number("SELECT count(*) FROM book") == 1)
        #expect(try connection.number("SELECT count(*) FROM pragma_table_info('book')") == 1)
    }

    @Test("A catalog of a newer program is refused and not touched")
    func refusesNewer() throws {
        let catalog = try TemporaryCatalog()
        do {
            let connection = try Connection(catalog.path, access: .create)
            try connection.execute("CREATE TABLE future (a)")
            try connection.setVersion(99, applicationID: 1)
        }
        let before = try Data(contentsOf: URL(filePath: catalog.path))
        #expect(throws: CatalogError.newer(found: 99, supported: 4)) { _ = try CatalogWriter(path: catalog.path) }
        let connection = try Connection(catalog.path, access: .read)
        #expect(try connection.number("SELECT count(*) FROM sqlite_schema WHERE name = 'book'") == 0)
        #expect(try connection.number("PRAGMA user_version") == 99)
        #expect(before == (try Data(contentsOf: URL(filePath: catalog.path))))
    }
}
