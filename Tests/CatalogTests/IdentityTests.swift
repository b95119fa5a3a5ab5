import Catalog
import Foundation
import SQLite
import Testing

@Suite("The identity of a catalog")
struct IdentityTests {
    @Test("It is made with the database, stays, and is another for another one")
    func random() throws {
        let catalog = try TemporaryCatalog()
        let first = try #require(try CatalogWriter(path: catalog.path).identity())
        #expect(first.utf8.count == 32)
        try catalog.replace([book("1")])
        #expect(try CatalogWriter(path: catalog.path).identity() == first)
        #expect(try CatalogReaders(path: catalog.path, count: 1).identity() == first)
        #expect(try CatalogQueries(path: catalog.path).identity() == first)
        #expect(try CatalogQueries(path: catalog.path).isSound())

        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: catalog.path + suffix) }
        let second = try #require(try CatalogWriter(path: catalog.path).identity())
        #expect(second != first)
    }

    @Test("One that was made before there were identities gets one when it is opened for writing")
    func older() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1")])
        try Connection(catalog.path, access: .readWrite).execute("DELETE FROM property WHERE name = 'identity'")
        #expect(try CatalogQueries(path: catalog.path).identity() == nil)
        #expect(try CatalogWriter(path: catalog.path).identity() != nil)
    }

    @Test("A catalog that is rebuilt keeps it, as it keeps the numbers")
    func rebuilt() throws {
        let filled = try FilledCatalog()
        let identity = try #require(try CatalogWriter(path: filled.path).identity())
        try filled.damage(try #require(try filled.pages(of: "version").dropFirst().first), with: .zeros)
        _ = try? filled.inodes()
        #expect(try CatalogRecovery(path: filled.path).rebuildIfMarked(now: 5) != nil)
        #expect(try CatalogWriter(path: filled.path).identity() == identity)
    }
}
