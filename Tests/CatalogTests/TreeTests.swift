import Catalog
import Shelf
import Testing

@Suite("Tree")
struct TreeTests {
    @Test("A directory stands for each category that has a book to show, and for no other")
    func categories() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([
            book("1", category: "Novels"), book("2", category: "Poems", isPurchased: false),
            book("3", category: nil), book("4", category: "Essays", size: nil),
            book("5", category: "Fiction / Fantasy"),
        ])
        #expect(
            try catalog.tree() == [
                "Fiction ／ Fantasy/Title 5.epub", "Novels/Title 1.epub", "Uncategorised/Title 3.epub",
            ])
    }

    @Test("Categories that are equal in NFC and case-folded are one directory")
    func foldedCategories() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([
            book("1", category: "Cafe\u{301}"), book("2", category: "CAFÉ"), book("3", category: "café"),
        ])
        #expect(try catalog.tree() == ["Café/Title 1.epub", "Café/Title 2.epub", "Café/Title 3.epub"])
    }

    @Test("A book in two categories stands in both, with one version")
    func twoCategories() throws {
        let catalog = try TemporaryCatalog()
        var record = book("1")
        record.categories = ["Novels", "Classics", "NOVELS"]
        try catalog.replace([record])
        #expect(try catalog.tree() == ["Classics/Title 1.epub", "Novels/Title 1.epub"])
        #expect(try catalog.version(at: "Classics/Title 1.epub") == catalog.version(at: "Novels/Title 1.epub"))
        let readers = try CatalogReaders(path: catalog.path, count: 1)
        let statistics = try readers.statistics()
        #expect(statistics == (1_000, 1))
    }

    @Test("A name that is taken, however it is written, gets the author, then a number")
    func collisions() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([
            book("1", title: "Poems", author: "Ann"), book("2", title: "POEMS", author: "Bob"),
            book("3", title: "poems", author: "Bob"), book("4", title: "Poems", author: ""),
            book("5", title: "Poems", author: ""), book("6", title: "Poems", author: "Bob"),
            book("7", title: "Caf\u{E9}", author: ""), book("8", title: "Cafe\u{301}", author: ""),
        ])
        #expect(
            try catalog.tree() == [
                "Novels/Café (2).epub", "Novels/Café.epub", "Novels/POEMS - Bob.epub", "Novels/Poems (2).epub",
                "Novels/Poems (3).epub", "Novels/Poems - Bob (3).epub", "Novels/Poems.epub",
                "Novels/poems - Bob (2).epub",
            ])
    }

    @Test("Thousands of books of one title each find a name, in document order")
    func sameTitle() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace((1...5_000).map { book("\($0)", title: "Untitled", author: "") })
        #expect(try catalog.tree().count == 5_000)
        #expect(try catalog.version(at: "Novels/Untitled (5000).epub")?.book.rawValue == 5_000)
        try catalog.replace((1...5_001).map { book("\($0)", title: "Untitled", author: "") })
        #expect(try catalog.version(at: "Novels/Untitled (5001).epub")?.book.rawValue == 5_001 + 5_000)
    }

    @Test("A name stays until the title changes")
    func stableNames() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1", title: "Poems", author: "Ann"), book("2", title: "Poems", author: "Bob")])
        let before = try catalog.version(at: "Novels/Poems - Bob.epub")
        // The first goes, and the second changes its author: neither changes its name.
        try catalog.replace([book("2", title: "Poems", author: "Robert")])
        #expect(try catalog.tree() == ["Novels/Poems - Bob.epub"])
        #expect(try catalog.version(at: "Novels/Poems - Bob.epub")?.id == before?.id)
        try catalog.replace([book("2", title: "Verses", author: "Robert")])
        #expect(try catalog.tree() == ["Novels/Verses.epub"])
        #expect(try catalog.version(at: "Novels/Verses.epub")?.id == before?.id)
    }

    @Test("Titles that books exchange, or that another book gives up, are free in the same document")
    func exchangedTitles() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1", title: "One"), book("2", title: "Two"), book("3", title: "Three")])
        let first = try catalog.version(at: "Novels/One.epub")
        try catalog.replace([
            book("1", title: "Two"), book("2", title: "One"), book("3", title: "Four"), book("4", title: "Three"),
        ])
        #expect(
            try catalog.tree() == ["Novels/Four.epub", "Novels/One.epub", "Novels/Three.epub", "Novels/Two.epub"])
        #expect(try catalog.version(at: "Novels/Two.epub")?.id == first?.id)
        #expect(try catalog.version(at: "Novels/Two.epub")?.book == first?.book)
        #expect(try CatalogReaders(path: catalog.path, count: 1).statistics() == (4_000, 4))
    }

    @Test("Of more categories than are remembered, those that become empty all go")
    func manyCategories() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace((1...17_000).map { book("\($0)", category: "Category \($0)") })
        try catalog.replace((1...17_000).map { book("\($0)", category: "All") })
        let readers = try CatalogReaders(path: catalog.path, count: 1)
        var names: [String] = []
        try readers.list(.root, after: 0, includesAttributes: false) { (_, name, _) in
            names.append(text(name))
            return true
        }
        #expect(names == ["All"])
    }

    @Test("Samples show only while nothing is purchased, unless the policy says otherwise")
    func samples() throws {
        let catalog = try TemporaryCatalog()
        let sample = book("s", isPurchased: false, isSample: true)
        try catalog.replace([sample])
        #expect(try catalog.tree() == ["Novels/Title s.epub"])
        try catalog.replace([sample, book("1")])
        #expect(try catalog.tree() == ["Novels/Title 1.epub"])
        try catalog.replace([sample])
        #expect(try catalog.tree() == ["Novels/Title s.epub"])
        try catalog.replace([sample, book("1")], samples: .always)
        #expect(try catalog.tree() == ["Novels/Title 1.epub", "Novels/Title s.epub"])
        let writer = try CatalogWriter(path: catalog.path)
        try writer.apply(.never, now: catalog.now())
        #expect(try catalog.tree() == ["Novels/Title 1.epub"])
    }

    @Test("A listing that goes on from a position skips and repeats nothing that stays")
    func cookies() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace((1...10).map { book("\($0)") })
        let readers = try CatalogReaders(path: catalog.path, count: 1)
        guard case .directory(let novels)? = try readers.lookup("Novels", in: .root) else {
            Issue.record("no directory")
            return
        }
        var seen: [String] = []
        var cookie: Int64 = 0
        try readers.list(novels.id, after: 0, includesAttributes: true) { (position, name, _) in
            cookie = position
            seen.append(text(name))
            return seen.count < 5
        }
        // One that was seen goes, one that wasn't goes, and one comes.
        try catalog.replace(([1, 2, 4, 5, 6, 8, 9, 10, 11]).map { book("\($0)") })
        try readers.list(novels.id, after: cookie, includesAttributes: true) { (_, name, _) in
            seen.append(text(name))
            return true
        }
        #expect(seen == [1, 2, 3, 4, 5, 6, 8, 9, 10, 11].map { "Title \($0).epub" })
    }

    @Test("A directory's date moves when its entries change, and only then")
    func directoryTimes() throws {
        let catalog = try TemporaryCatalog()
        func times() throws -> [String: Int64] {
            var times: [String: Int64] = [:]
            try CatalogReaders(path: catalog.path, count: 1).list(.root, after: 0, includesAttributes: true) {
                if case .directoryWithAttributes(let attributes) = $2 { times[text($1)] = attributes.modifiedAt }
                return true
            }
            return times
        }
        try catalog.replace([book("1"), book("2", category: "Poems")])
        let before = try times()
        try catalog.replace([book("1"), book("2", category: "Poems"), book("3")])
        let after = try times()
        #expect(try #require(after["Novels"]) > #require(before["Novels"]))
        #expect(after["Poems"] == before["Poems"])
    }
}
