import Catalog
import Foundation
import SQLite
import Shelf
import Testing

@Suite("Pins")
struct PinTests {
    private func pinnedTitles(_ catalog: TemporaryCatalog) throws -> [String] {
        var queries = try CatalogQueries(path: catalog.path)
        var titles: [String] = []
        try queries.forEachBook { if $0.isPinned { titles.append($0.title) } }
        return titles.sorted()
    }

    private func number(of title: String, in catalog: TemporaryCatalog) throws -> BookID {
        var queries = try CatalogQueries(path: catalog.path)
        var found: BookID?
        try queries.forEachBook { if $0.title == title { found = $0.id } }
        return try #require(found)
    }

    @Test("A pin is of one book, whatever its sources do, and its current content is what is kept")
    func pin() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1"), book("2")])
        let writer = try CatalogWriter(path: catalog.path)
        let id = try number(of: "Title 1", in: catalog)
        try writer.pin([id, BookID(rawValue: 999)], rules: [])
        try catalog.replace([book("1", size: 5), book("2"), book("3")])
        #expect(try pinnedTitles(catalog) == ["Title 1"])
        let readers = try CatalogReaders(path: catalog.path, count: 1)
        let version = try #require(try catalog.version(at: "Novels/Title 1.epub"))
        #expect(try readers.pinned() == [version.id])
        #expect(try readers.isPinned(version.id))
        let other = try #require(try catalog.version(at: "Novels/Title 2.epub"))
        #expect(try !readers.isPinned(other.id))
        #expect(try CatalogQueries(path: catalog.path).pinnedCount() == 1)
        #expect(try writer.unpin([id], rules: []) == 1)
        #expect(try writer.unpin([id], rules: []) == 0)
        #expect(try readers.pinned() == [])
    }

    @Test("The superseded content of a pinned book isn't kept, and a revoked book isn't pinned")
    func supersededAndRevoked() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1", sha256: String(repeating: "a", count: 64))])
        let writer = try CatalogWriter(path: catalog.path)
        try writer.pin([number(of: "Title 1", in: catalog)], rules: [])
        let old = try #require(try catalog.version(at: "Novels/Title 1.epub"))
        try catalog.replace([book("1", size: 7, sha256: String(repeating: "b", count: 64))])
        let new = try #require(try catalog.version(at: "Novels/Title 1.epub"))
        let readers = try CatalogReaders(path: catalog.path, count: 1)
        #expect(old.id != new.id)
        #expect(try readers.pinned() == [new.id])
        #expect(try !readers.isPinned(old.id))
        try catalog.replace([BookRecord]())
        #expect(try readers.pinned() == [])
        try catalog.replace([book("1", size: 7)])
        #expect(try readers.pinned().count == 1)
    }

    @Test(
        "A rule pins what is there and what comes later",
        arguments: [
            PinRule(.category, "NOVELS"), PinRule(.author, "b. OTHER"), PinRule(.series, "the saga"), PinRule(.all),
        ])
    func rules(_ rule: PinRule) throws {
        let catalog = try TemporaryCatalog()
        var first = book("1", author: "B. Other", category: "Novels")
        first.series = "The Saga"
        let other = book("2", author: "C. Else", category: "History")
        try catalog.replace([first, other])
        let writer = try CatalogWriter(path: catalog.path)
        try writer.pin([], rules: [rule])
        #expect(try CatalogQueries(path: catalog.path).pinRules() == [rule])
        let isAll = rule.kind == .all
        #expect(try pinnedTitles(catalog) == (isAll ? ["Title 1", "Title 2"] : ["Title 1"]))
        var later = book("3", author: "B. Other", category: "Novels")
        later.series = "The Saga"
        // One of another source, one that moves into it, one that has nothing to do with it.
        try catalog.replace([later], source: "another")
        var moved = other
        moved.authors = first.authors
        moved.categories = first.categories
        moved.series = first.series
        try catalog.replace([first, moved, book("4", author: "C. Else", category: "History")])
        #expect(try pinnedTitles(catalog) == ["Title 1", "Title 2", "Title 3"] + (isAll ? ["Title 4"] : []))
    }

    @Test("A book that is unpinned by itself stays so under a rule, until it is pinned again or the rule goes")
    func exceptions() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1"), book("2")])
        let writer = try CatalogWriter(path: catalog.path)
        let rule = PinRule(.category, "Novels")
        try writer.pin([], rules: [rule])
        let id = try number(of: "Title 1", in: catalog)
        #expect(try writer.unpin([id], rules: []) == 1)
        try catalog.replace([book("1"), book("2"), book("3")])
        #expect(try pinnedTitles(catalog) == ["Title 2", "Title 3"])
        try writer.pin([id], rules: [])
        #expect(try pinnedTitles(catalog) == ["Title 1", "Title 2", "Title 3"])
        let all = try ["Title 1", "Title 2", "Title 3"].map { try number(of: $0, in: catalog) }
        #expect(try writer.unpin(all, rules: [PinRule(.category, "novels")]) == 3)
        #expect(try CatalogQueries(path: catalog.path).pinRules() == [])
        try catalog.replace([book("1"), book("2"), book("3"), book("4")])
        #expect(try pinnedTitles(catalog) == [])
    }

    @Test("The directory's name of a category means it, too")
    func directoryName() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1", category: "Sci/Fi"), book("2", category: nil)])
        let directories = try Set(catalog.tree().map { String($0.prefix { $0 != "/" }) })
        let writer = try CatalogWriter(path: catalog.path)
        for name in directories { try writer.pin([], rules: [PinRule(.category, name)]) }
        #expect(try pinnedTitles(catalog) == ["Title 1", "Title 2"])
    }

    @Test("The name of a directory means its category also for books without a name of their own yet")
    func directoryNameOfLaterBooks() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1", category: "Sci/Fi")])
        let name = try #require(catalog.tree().first).prefix { $0 != "/" }
        let writer = try CatalogWriter(path: catalog.path)
        let rules = [PinRule(.category, String(name)), PinRule(.category, "uncategorised")]
        try writer.pin([], rules: rules)
        // None has a size yet, so none has a name.
        try catalog.replace([
            book("1", category: "Sci/Fi"), book("2", category: "sci/fi", size: nil),
            book("3", category: nil, size: nil),
        ])
        #expect(try pinnedTitles(catalog) == ["Title 1", "Title 2", "Title 3"])
        #expect(try catalog.tree().count == 1)
        try catalog.replace([book("4", category: "Other")])
        try catalog.replace([book("4", category: "Other"), book("5", category: "SCI/FI", size: nil)])
        #expect(try pinnedTitles(catalog).contains("Title 5"))
        #expect(try !pinnedTitles(catalog).contains("Title 4"))
    }

    @Test("A book that a sync leaves as it is isn't looked at by the rules again; one that it changes is")
    func unchangedBooks() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1"), book("2"), book("3")])
        let writer = try CatalogWriter(path: catalog.path)
        try writer.pin([], rules: [PinRule(.category, "Novels")])
        // As nothing but a hand in the database does it.
        try Connection(catalog.path, access: .readWrite).execute("UPDATE personal SET is_pinned = 0")
        try catalog.replace([book("1"), book("2", author: "B. Other"), book("3"), book("4")])
        #expect(try pinnedTitles(catalog) == ["Title 2", "Title 4"])
    }

    @Test("To unpin all ends every rule and every pin, also of books that come back")
    func unpinAll() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1"), book("2", category: "History"), book("3", size: nil)])
        let writer = try CatalogWriter(path: catalog.path)
        try writer.pin([], rules: [PinRule(.category, "Novels"), PinRule(.author, "A. Author"), PinRule(.all)])
        let gone = try number(of: "Title 2", in: catalog)
        try catalog.replace([book("1"), book("3", size: nil)])
        #expect(try writer.unpin([number(of: "Title 1", in: catalog)], rules: [PinRule(.all)]) == 1)
        #expect(try CatalogQueries(path: catalog.path).pinRules() == [])
        try catalog.replace([book("1"), book("2", category: "History"), book("3"), book("4")])
        #expect(try pinnedTitles(catalog) == [])
        #expect(try number(of: "Title 2", in: catalog) == gone)
        // Nor is anything left out of a rule that is made afterwards.
        try writer.pin([], rules: [PinRule(.category, "Novels")])
        #expect(try pinnedTitles(catalog) == ["Title 1", "Title 3", "Title 4"])
    }

    @Test("Rules come out of a damaged catalog")
    func salvaged() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1")])
        do { try CatalogWriter(path: catalog.path).pin([], rules: [PinRule(.category, "Novels")]) }
        _ = FileManager.default.createFile(atPath: catalog.path + ".needs-rebuilding", contents: Data("marked".utf8))
        #expect(try CatalogRecovery(path: catalog.path).rebuildIfMarked(now: 5) != nil)
        try catalog.replace([book("1"), book("2")])
        #expect(try pinnedTitles(catalog) == ["Title 1", "Title 2"])
    }
}
