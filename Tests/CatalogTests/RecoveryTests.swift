import Catalog
import Foundation
import SQLite
import Shelf
import Testing

@Suite("Recovery")
struct RecoveryTests {
    private func move(_ from: String, _ to: String) {
        try? FileManager.default.moveItem(atPath: from, toPath: to)
    }

    @Test(
        "A damaged catalog is moved aside; notes, pins and purchases come back with the books, and no number is used again"
    )
    func salvages() throws {
        let catalog = try TemporaryCatalog()
        let books = (1...2_000).map { book("\($0)") }
        try catalog.replace(books)
        let before = try #require(try catalog.version(at: "Novels/Title 7.epub"))
        do {
            let connection = try Connection(catalog.path, access: .readWrite)
            for row in 1...2_000 {
                try connection.run(
                    "INSERT INTO annotation (book, kind, value, changed_at) VALUES (?1, 'note', 'mine', 1)",
                    .integer(Int64(row)))
                try connection.run("INSERT INTO personal (book, is_pinned) VALUES (?1, 1)", .integer(Int64(row)))
            }
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        // A page in the middle of the file is overwritten.
        let file = try FileHandle(forUpdating: URL(filePath: catalog.path))
        let size = try file.seekToEnd()
        try file.seek(toOffset: size / 8_192 * 4_096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
        try file.close()

        let report = try CatalogRecovery(path: catalog.path).rebuild(now: 5, move: move)
        #expect(report.movedTo == catalog.path + ".damaged-5")
        #expect(FileManager.default.fileExists(atPath: report.movedTo))
        let connection = try Connection(catalog.path, access: .read)
        #expect(try connection.number("SELECT count(*) FROM book") > 1_500)
        #expect(try connection.number("SELECT count(*) FROM annotation WHERE value = 'mine'") > 1_500)
        #expect(try connection.number("SELECT count(*) FROM personal WHERE is_pinned") > 1_500)
        #expect(try catalog.tree() == [])

        try catalog.replace(books)
        let after = try #require(try catalog.version(at: "Novels/Title 7.epub"))
        #expect(try catalog.tree().count == 2_000)
        #expect(after.book == before.book)
        #expect(after.id.rawValue > 1_000_000)
    }

    @Test("What isn't a database at all is moved aside as well, and the shelf begins anew")
    func notADatabase() throws {
        let catalog = try TemporaryCatalog()
        try Data(repeating: 0x41, count: 10_000).write(to: URL(filePath: catalog.path))
        #expect {
            _ = try CatalogWriter(path: catalog.path)
        } throws: { error in
            if case .damaged? = error as? CatalogError { true } else { false }
        }
        let report = try CatalogRecovery(path: catalog.path).rebuild(now: 6, move: move)
        #expect(report.salvagedRowCount == 0)
        #expect(try Data(contentsOf: URL(filePath: report.movedTo)).count == 10_000)
        #expect(try catalog.replace([book("1")]).added == 1)
    }

    @Test("A catalog that was removed by hand gives no number again")
    func removed() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1")])
        let before = try #require(try catalog.version(at: "Novels/Title 1.epub"))
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: catalog.path + suffix) }
        try catalog.replace([book("2", title: "Title 1")])
        let after = try #require(try catalog.version(at: "Novels/Title 1.epub"))
        #expect(after.id > before.id)
        #expect(after.book > before.book)
    }
}
