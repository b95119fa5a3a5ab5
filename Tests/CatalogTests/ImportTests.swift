import Catalog
import Shelf
import Testing

@Suite("Import")
struct ImportTests {
    @Test("The same document again changes nothing and writes nothing")
    func unchanged() throws {
        let catalog = try TemporaryCatalog()
        let books = (1...100).map { book("\($0)") }
        #expect(try catalog.replace(books).added == 100)
        let anchor = try catalog.anchor()
        let again = try catalog.replace(books)
        #expect(again.unchanged == 100)
        #expect((again.added, again.updated, again.removed) == (0, 0, 0))
        #expect(try catalog.anchor() == anchor)
    }

    @Test("A document that breaks off leaves the catalog as it was")
    func allOrNothing() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1"), book("2")])
        let before = try (catalog.tree(), catalog.anchor())
        let writer = try CatalogWriter(path: catalog.path)
        let source = try #require(try writer.sources().first)
        #expect(throws: SourceError.malformed(offset: 9, reason: "cut")) {
            try writer.replaceBooks(of: source, validators: { Validators() }, samples: .auto, now: catalog.now()) {
                (deliver) throws(SourceError) in
                try deliver(.book(book("9"), number: 1))
                throw SourceError.malformed(offset: 9, reason: "cut")
            }
        }
        #expect(try catalog.tree() == before.0)
        #expect(try catalog.anchor() == before.1)
        // The connection serves the next one.
        let summary = try writer.replaceBooks(
            of: source, validators: { Validators() }, samples: .auto, now: catalog.now()
        ) {
            (deliver) throws(SourceError) in try deliver(.book(book("9"), number: 1))
        }
        #expect(summary.added == 1)
        #expect(summary.removed == 2)
    }

    @Test("Of a key that occurs twice the last counts, and the others are reported")
    func duplicates() throws {
        let catalog = try TemporaryCatalog()
        let summary = try catalog.replace([
            book("1", title: "First"), book("2"), book("1", title: "Second"), book("1", title: "Third"),
        ])
        #expect(summary.added == 2)
        #expect(summary.skipped.map(\.number) == [1, 3])
        #expect(try catalog.tree() == ["Novels/Third.epub", "Novels/Title 2.epub"])
    }

    @Test("Of very many bad records the first are reported, and all are counted")
    func manySkipped() throws {
        let catalog = try TemporaryCatalog()
        let summary = try catalog.replace(
            (1...12_000).map { .skipped(SkippedRecord(number: $0, key: nil, reason: "no title")) }
                + (12_001...14_000).map { .book(book("same"), number: $0) })
        #expect(summary.skippedCount == 13_999)
        #expect(summary.skipped.count == SyncSummary.maximumReportedCount)
        #expect(summary.skipped.last?.number == 10_000)
        #expect(summary.added == 1)
    }

    @Test("A bad record never revokes the book of its key")
    func badRecordKeeps() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1"), book("2")])
        let summary = try catalog.replace([
            .skipped(SkippedRecord(number: 1, key: "1", reason: "no title")), .book(book("2"), number: 2),
        ])
        #expect(summary.removed == 0)
        #expect(summary.unchanged == 1)
        #expect(summary.skipped.count == 1)
        #expect(try catalog.tree() == ["Novels/Title 1.epub", "Novels/Title 2.epub"])
    }

    @Test("A book that is no longer listed leaves; listed again it is the same book with a new version")
    func revoked() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1"), book("2")])
        let before = try #require(try catalog.version(at: "Novels/Title 1.epub"))
        #expect(try catalog.replace([book("2")]).removed == 1)
        #expect(try catalog.tree() == ["Novels/Title 2.epub"])
        // Its version is kept for those who hold it open.
        let readers = try CatalogReaders(path: catalog.path, count: 1)
        #expect(try readers.version(before.id)?.byteCount == 1_000)
        #expect(try readers.content(before.id)?.isSuperseded == true)
        #expect(try catalog.replace([book("1"), book("2")]).added == 1)
        let after = try #require(try catalog.version(at: "Novels/Title 1.epub"))
        #expect(after.book == before.book)
        #expect(after.id != before.id)
    }

    @Test("Another source's books stay")
    func sourcesApart() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1")], source: "one")
        try catalog.replace([book("1", title: "Other")], source: "two")
        try catalog.replace([BookRecord](), source: "one")
        #expect(try catalog.tree() == ["Novels/Other.epub"])
        let writer = try CatalogWriter(path: catalog.path)
        #expect(try writer.removeSource("two", samples: .auto, now: catalog.now()) == 1)
        #expect(try catalog.tree() == [])
        #expect(try writer.sources().map(\.name) == ["one"])
        #expect(throws: CatalogError.unknownSource(name: "two")) {
            try writer.removeSource("two", samples: .auto, now: catalog.now())
        }
    }

    @Test("Other bytes are a new version; an address that changes alone is not")
    func versions() throws {
        let catalog = try TemporaryCatalog()
        let hash = String(repeating: "ab", count: 32)
        func version() throws -> VersionID? { try catalog.version(at: "Novels/Title 1.epub")?.id }
        try catalog.replace([book("1", modifiedAt: 5)])
        let first = try version()
        try catalog.replace([book("1", url: "https://other.example/signed", modifiedAt: 5)])
        #expect(try version() == first)
        try catalog.replace([book("1", size: 1_001, modifiedAt: 5)])
        let second = try version()
        #expect(second != first)
        try catalog.replace([book("1", size: 1_001, sha256: hash, modifiedAt: 6)])
        let third = try version()
        #expect(third != second)
        try catalog.replace([book("1", size: 1_001, url: "https://elsewhere.example/1", sha256: hash, modifiedAt: 7)])
        #expect(try version() == third)
    }

    @Test("A size that becomes known puts the book on the shelf")
    func confirmedSize() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1", size: nil), book("2")])
        let writer = try CatalogWriter(path: catalog.path)
        let unsized = try writer.unsizedVersions(limit: 10)
        #expect(unsized.map(\.title) == ["Title 1"])
        let anchor = try catalog.anchor()
        let version = try #require(unsized.first?.id)
        #expect(try writer.unsizedVersions(after: version, limit: 10).isEmpty)
        try writer.confirm(byteCount: 77, of: version, etag: "\"x\"", now: catalog.now())
        #expect(try catalog.version(at: "Novels/Title 1.epub")?.byteCount == 77)
        #expect(try CatalogReaders(path: catalog.path, count: 1).statistics() == (1_077, 2))
        let changes = try #require(try catalog.changes(after: anchor))
        #expect(changes.contains { if case .entryAdded(_, "Title 1.epub", version) = $0 { true } else { false } })
        // The next document, still without a size, leaves it.
        #expect(try catalog.replace([book("1", size: nil), book("2")]).unchanged == 2)
        try writer.confirm(byteCount: 78, of: version, etag: nil, now: catalog.now())
        #expect(try catalog.version(at: "Novels/Title 1.epub")?.byteCount == 78)
        #expect(try CatalogReaders(path: catalog.path, count: 1).statistics() == (1_078, 2))
    }

    @Test("Everything that a record states comes back")
    func roundTrip() throws {
        let catalog = try TemporaryCatalog()
        var record = book("k", title: "红楼梦", category: "Classics", sha256: String(repeating: "0f", count: 32))
        record.authors = [Author(name: "曹雪芹", sortName: "Cao Xueqin"), Author(name: "高鹗")]
        record.description = "A dream."
        record.language = "zh"
        record.publisher = "P"
        record.isbn = "978"
        record.series = "S"
        record.seriesIndex = 1.5
        record.contents = ["One", "Two"]
        record.purchasedAt = 7
        record.lastReadAt = 8
        record.orderID = "o"
        try catalog.replace([record])
        var queries = try CatalogQueries(path: catalog.path)
        var found: [CatalogBook] = []
        try queries.forEachBook { found.append($0) }
        let back = try #require(found.first)
        #expect(back.title == record.title && back.authors == record.authors && back.contents == record.contents)
        #expect(back.seriesIndex == 1.5 && back.purchasedAt == 7 && back.lastReadAt == 8)
        #expect(back.sha256 == record.content?.sha256)
        #expect(back.paths == ["Classics/红楼梦.epub"] && back.fileName == "红楼梦.epub")
        #expect(try queries.book(at: ["Classics", "红楼梦.epub"])?.id == back.id)
    }
}

@Suite("Filling an empty catalog")
struct FillTests {
    /// Books of which many want the same names, in two of five categories each.
    private func manyBooks(_ count: Int) -> [BookRecord] {
        (1...count).map { number in
            var record = book(
                "\(number)", title: "Title \(number % 500)", author: number.isMultiple(of: 3) ? "" : "A\(number % 7)",
                url: "https://books.example/\(number)")
            // Of the names that others get instead, some are taken by titles.
            if number.isMultiple(of: 50) { record.title = "TITLE \(number / 50) - A\(number % 7)" }
            record.categories = ["C\(number % 5)", "c\(number % 3)"]
            return record
        }
    }

    @Test("The first thousands of books get the names that they get one after the other")
    func sameNames() throws {
        let books = manyBooks(1_500)
        let filled = try TemporaryCatalog()
        #expect(try filled.replace(books).added == 1_500)
        let grown = try TemporaryCatalog()
        try grown.replace(Array(books.prefix(1)))
        #expect(try grown.replace(books).added == 1_499)
        let tree = try filled.tree()
        #expect(tree.count > 1_500)
        #expect(tree == (try grown.tree()))
        // What follows finds every name and every key.
        #expect(try filled.replace(books).unchanged == 1_500)
        #expect(try filled.replace(Array(books.dropFirst(10))).removed == 10)
        #expect(try filled.tree().count < tree.count)
    }

    @Test("A filling that fails leaves an empty catalog that can be filled")
    func failure() throws {
        let catalog = try TemporaryCatalog()
        let writer = try CatalogWriter(path: catalog.path)
        let source = try writer.addSource(name: "import", kind: "store", location: "/catalog.json")
        let books = manyBooks(1_200)
        #expect(throws: SourceError.malformed(offset: 9, reason: "cut")) {
            try writer.replaceBooks(of: source, validators: { Validators() }, samples: .auto, now: catalog.now()) {
                (deliver) throws(SourceError) in
                for (index, book) in books.enumerated() { try deliver(.book(book, number: index + 1)) }
                throw SourceError.malformed(offset: 9, reason: "cut")
            }
        }
        #expect(try catalog.tree() == [])
        #expect(try catalog.replace(books).added == 1_200)
    }

    @Test("A policy for samples that is applied already writes nothing")
    func appliedPolicy() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("s", isPurchased: false, isSample: true), book("1")], samples: .auto)
        let anchor = try catalog.anchor()
        let writer = try CatalogWriter(path: catalog.path)
        try writer.apply(.auto, now: catalog.now())
        #expect(try catalog.anchor() == anchor)
        try writer.apply(.always, now: catalog.now())
        #expect(try catalog.tree() == ["Novels/Title 1.epub", "Novels/Title s.epub"])
        try writer.apply(.auto, now: catalog.now())
        #expect(try catalog.tree() == ["Novels/Title 1.epub"])
    }
}
