import Catalog
import Shelf
import Testing

@Suite("Arranging the shelf")
struct ArrangementTests {
    private func sampleBooks() -> [BookRecord] {
        var records: [BookRecord] = []
        for (index, title) in ["The Sea", "A Hill", "Rivers", "Clouds", "clouds", "1984"].enumerated() {
            var record = book(
                "\(index)", title: title, author: index % 2 == 0 ? "Ann Lee" : "Bo Yi",
                category: index % 3 == 0 ? "Fiction / Crime" : "Poems")
            if index < 3 {
                record.series = "Nature"
                record.seriesIndex = Double(index + 1)
            }
            records.append(record)
        }
        return records
    }

    @Test(
        "Each layout puts every book where it says, with the numbers that it had",
        arguments: [
            (
                "author",
                [
                    "Ann Lee/Rivers.epub", "Ann Lee/The Sea.epub", "Ann Lee/clouds.epub", "Bo Yi/1984.epub",
                    "Bo Yi/A Hill.epub", "Bo Yi/Clouds.epub",
                ]
            ),
            (
                "series",
                [
                    "1984.epub", "Clouds.epub", "Nature/01 The Sea.epub", "Nature/02 A Hill.epub",
                    "Nature/03 Rivers.epub", "clouds - Ann Lee.epub",
                ]
            ),
            (
                "{author_sort}/{series}/{series_index:02} {title}",
                [
                    "Lee, Ann/Nature/01 The Sea.epub", "Lee, Ann/Nature/03 Rivers.epub", "Lee, Ann/clouds.epub",
                    "Yi, Bo/1984.epub", "Yi, Bo/Clouds.epub", "Yi, Bo/Nature/02 A Hill.epub",
                ]
            ),
        ])
    func layouts(_ layout: String, _ wanted: [String]) throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace(sampleBooks())
        let before = try catalog.version(at: "Poems/A Hill.epub")
        let writer = try CatalogWriter(path: catalog.path)
        #expect(try writer.apply(Arrangement(Layout(layout)), now: catalog.now()))
        #expect(try !writer.apply(Arrangement(Layout(layout)), now: catalog.now()))
        #expect(try catalog.wholeTree() == wanted)
        let hill = try #require(wanted.first { $0.contains("A Hill") })
        #expect(try catalog.version(at: hill)?.id == before?.id)
        #expect(try CatalogReaders(path: catalog.path, count: 1).statistics() == (6_000, 6))
        // Back again: as it was.
        #expect(try writer.apply(Arrangement(), now: catalog.now()))
        #expect(try catalog.version(at: "Poems/A Hill.epub")?.id == before?.id)
    }

    @Test("Whether it was arranged before the books came or afterwards, and however they came, is the same")
    func sameEitherWay() throws {
        let arrangements = [
            Arrangement(.flat), Arrangement(.kavita), Arrangement(.category, views: ShelfView.allCases),
            Arrangement(.category, splitsCategories: true),
            Arrangement(try Layout("{category}/{author}/{title}"), views: [.series]),
        ]
        for arrangement in arrangements {
            let before = try TemporaryCatalog()
            try CatalogWriter(path: before.path).apply(arrangement, now: before.now())
            try before.replace(sampleBooks())
            let after = try TemporaryCatalog()
            try after.replace(sampleBooks())
            try CatalogWriter(path: after.path).apply(arrangement, now: after.now())
            let slowly = try TemporaryCatalog()
            try CatalogWriter(path: slowly.path).apply(arrangement, now: slowly.now())
            for count in 1...6 { try slowly.replace(Array(sampleBooks().prefix(count))) }
            let wanted = try before.wholeTree()
            #expect(try after.wholeTree() == wanted, "\(arrangement)")
            #expect(try slowly.wholeTree() == wanted, "\(arrangement)")
            #expect(wanted.count >= 6)
        }
    }

    @Test("What a sync changes moves a book to where it belongs, and empty directories go, those around them too")
    func changes() throws {
        let catalog = try TemporaryCatalog()
        let layout = try Layout("{author}/{series}/{series_index:02} {title}")
        try CatalogWriter(path: catalog.path).apply(Arrangement(layout, views: [.titles]), now: catalog.now())
        var records = sampleBooks()
        try catalog.replace(records)
        records[1].seriesIndex = 7
        records[0].authors = [Author(name: "Cy")]
        records[0].series = "Water"
        records.remove(at: 3)
        try catalog.replace(records)
        #expect(
            try catalog.wholeTree() == [
                "Ann Lee/Nature/03 Rivers.epub", "Ann Lee/clouds.epub", "Bo Yi/1984.epub",
                "Bo Yi/Nature/07 A Hill.epub", "Cy/Water/01 The Sea.epub", "Titles/0-9/1984.epub",
                "Titles/C/clouds - Ann Lee.epub", "Titles/H/A Hill.epub", "Titles/R/Rivers.epub",
                "Titles/S/The Sea.epub",
            ])
        try catalog.replace([records[4]])
        #expect(try catalog.wholeTree() == ["Bo Yi/1984.epub", "Titles/0-9/1984.epub"])
        try catalog.replace([] as [BookRecord])
        #expect(try catalog.wholeTree().isEmpty)
        let readers = try CatalogReaders(path: catalog.path, count: 1)
        var count = 0
        try readers.forEachDirectory { _, _, _ in count += 1 }
        #expect(count == 0)
    }

    @Test("A directory and a book never have one name, and a view keeps its own beside a category of that name")
    func collisions() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([
            book("1", title: "Same", category: "Authors"), book("2", title: "Other", category: "Same.epub"),
        ])
        let writer = try CatalogWriter(path: catalog.path)
        try writer.apply(Arrangement(.category, views: [.authors]), now: catalog.now())
        #expect(
            try catalog.wholeTree() == [
                "Authors (2)/Same.epub", "Authors/A. Author/Other.epub", "Authors/A. Author/Same.epub",
                "Same.epub/Other.epub",
            ])
        try writer.apply(Arrangement(try Layout("{tags}/{title}")), now: catalog.now())
        try writer.apply(Arrangement(try Layout("{series}/{title}"), views: []), now: catalog.now())
        #expect(try catalog.wholeTree() == ["Other.epub", "Same.epub"])
        try catalog.replace([
            book("1", title: "Same", category: "A"), book("3", title: "Deep", category: "Same.epub"),
        ])
        try writer.apply(Arrangement(try Layout("{tags:|x|}/{title}")), now: catalog.now())
        #expect(try catalog.wholeTree() == ["xA/Same.epub", "xSame.epub/Deep.epub"])
    }

    @Test("Counts of directories in directories, by which find knows whether to look, are right")
    func counts() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace(sampleBooks())
        try CatalogWriter(path: catalog.path).apply(
            Arrangement(.category, views: ShelfView.allCases, splitsCategories: true), now: catalog.now())
        let readers = try CatalogReaders(path: catalog.path, count: 1)
        var children: [DirectoryID: Int] = [:]
        var all: [DirectoryID] = [.root]
        try readers.forEachDirectory { directory, parent, _ in
            children[parent, default: 0] += 1
            all.append(directory)
        }
        for directory in all {
            #expect(try readers.directory(directory)?.directoryCount == children[directory, default: 0])
            let count = children[directory, default: 0]
            var listed = 0
            try readers.list(directory, after: 0, includesAttributes: true) { _, _, node in
                if case .directoryWithAttributes(let child) = node {
                    listed += 1
                    if child.directoryCount != children[child.id, default: 0] { listed += 1_000 }
                }
                return true
            }
            #expect(listed == count)
        }
    }

    @Test("A listing that goes on from each of its positions skips and repeats nothing, books and directories mixed")
    func positions() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace(sampleBooks())
        try CatalogWriter(path: catalog.path).apply(
            Arrangement(.flat, views: ShelfView.allCases), now: catalog.now())
        let readers = try CatalogReaders(path: catalog.path, count: 1)
        var whole: [(Int64, String)] = []
        try readers.list(.root, after: 0, includesAttributes: false) { position, name, _ in
            whole.append((position, text(name)))
            return true
        }
        #expect(whole.count == 9)
        for (index, (position, _)) in whole.enumerated() {
            #expect(position < 1 << 31)
            var rest: [String] = []
            try readers.list(.root, after: position, includesAttributes: index % 2 == 0) { _, name, _ in
                rest.append(text(name))
                return true
            }
            #expect(rest == whole.dropFirst(index + 1).map(\.1))
        }
    }
}
