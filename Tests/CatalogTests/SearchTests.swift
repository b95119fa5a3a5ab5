import Catalog
import Foundation
import Shelf
import Testing

@Suite("Search")
struct SearchTests {
    @Test("A title that is what was typed comes first, then titles, authors and descriptions, each by title")
    func tiers() throws {
        let shelf = try SearchedShelf([
            ("About", "x", "About winter."), ("Zoo of Winter", "x", ""), ("Winter", "x", ""),
            ("A Winter's Tale", "x", ""),
            ("Bees", "Ann Winter", ""), ("Ants", "Ann Winter", ""), ("Cats", "Ann Wintergreen", ""),
            ("Winters Past", "x", ""), ("Summer", "x", "Nothing of it."),
        ])
        #expect(
            try shelf.find("WINTER") == [
                "Winter", "A Winter's Tale", "Zoo of Winter", "Winters Past", "Ants", "Bees", "Cats", "About",
            ])
        #expect(try shelf.find("winter", limit: 2) == ["Winter", "A Winter's Tale"])
        #expect(try shelf.found("winter", limit: 2).total == 8)
    }

    @Test("Words are found in any of the parts, and all of them have to be")
    func words() throws {
        let shelf = try SearchedShelf([
            ("The River", "Ada Merrow", "A house by the sea."), ("The House", "Ada Merrow", ""),
            ("Sea", "Ben Ott", "river"),
        ])
        #expect(try shelf.find("merrow river") == ["The River"])
        #expect(try shelf.find("house ada") == ["The House", "The River"])
        #expect(try shelf.find("river sea") == ["Sea", "The River"])
        #expect(try shelf.find("river mountain") == [])
    }

    @Test("What stands in quotation marks belongs together; an open mark ends with what was typed")
    func phrases() throws {
        let shelf = try SearchedShelf([
            ("The Art of War", "x", ""), ("War and the Art of It", "x", ""), ("Of Art", "The War", ""),
            ("Spider-Man", "x", ""), ("Man Spider", "x", ""), ("A", "Jo Art;Of Nothing", ""),
        ])
        #expect(try shelf.find("\"art of\"") == ["The Art of War", "War and the Art of It"])
        #expect(try shelf.find("“art of war”") == ["The Art of War"])
        #expect(try shelf.find("\"art of wa") == ["The Art of War"])
        #expect(try shelf.find("\"art of wa\"") == [])
        #expect(try shelf.find("spider-man") == ["Spider-Man", "Man Spider"])
        #expect(try shelf.find("\"spider man\"") == ["Spider-Man"])
    }

    @Test(
        "A part of a Chinese, Japanese, Korean or Thai title finds the book, down to one character",
        arguments: [
            ("三", ["三体", "三国演义"]), ("三体", ["三体"]), ("体", ["三体"]), ("国演", ["三国演义"]), ("三国演义", ["三国演义"]),
            ("演国", []), ("三演", []), ("刘慈", ["三体"]), ("慈", ["三体"]), ("地球", ["三体"]), ("三 国", ["三国演义"]),
            ("C语", ["C语言程序"]), ("c语言", ["C语言程序"]), ("语言 程序", ["C語 语言程序集", "C语言程序"]),
            ("\"语言程\"", ["C語 语言程序集", "C语言程序"]), ("\"语言 程序\"", []),
            ("ｶﾞｰﾃﾞﾝ", ["ガーデン物語"]), ("デン物", ["ガーデン物語"]), ("한국", ["한국 음식"]), ("음식", ["한국 음식"]), ("국 음", ["한국 음식"]),
            ("ไทย", ["อาหารไทย"]), ("หาร", ["อาหารไทย"]), ("𠮷野", ["𠮷野家"]), ("𠮷", ["𠮷野家"]),
        ])
    func characters(_ typed: String, _ expected: [String]) throws {
        let shelf = try SearchedShelf([
            ("三体", "刘慈欣", "地球往事。"), ("三国演义", "罗贯中", "演 义 国"), ("C语言程序", "谭", ""), ("C語 语言程序集", "x", ""),
            ("ガーデン物語", "x", ""), ("한국 음식", "x", ""), ("อาหารไทย", "x", ""), ("𠮷野家", "x", ""),
        ])
        #expect(try shelf.find(typed) == expected)
    }

    @Test(
        "Case, accents, width and composition don't count",
        arguments: [
            "CAFÉ", "cafe", "Cafe\u{301}", "ｃａｆｅ", "élève", "ELEVE", "łódź", "lodz", "straße", "STRASSE", "οδυσσεύς",
            "ΟΔΥΣΣΕΥΣ",
            "ёлка", "елка", "كِتاب", "سلام", "שלום", "हिन्दी", "👩‍💻", "👍🏿", "👍", "🇫🇷",
        ])
    func forms(_ typed: String) throws {
        let shelf = try SearchedShelf([
            (
                "Everything", "x",
                "Café élève Łódź Straße Οδυσσεύς Ёлка كتاب سَلام שָׁלוֹם हिन्दी 👩🏽‍💻 👍 🇫🇷"
            ), ("Nothing", "x", "🇩🇪 👎"),
        ])
        #expect(try shelf.find(typed) == ["Everything"])
    }

    @Test(
        "Nothing that can be typed is wrong: it is all text",
        arguments: [
            "\"", "\"\"", "\"\"\"", "AND", "OR", "NOT", "NEAR(", "NEAR(a b, 2)", "*", "a*", "^a", "title:a", "a:b", "(",
            ")", "((a", "-a",
            "- ", "+", "{title} : a", "a AND", "OR a", "a OR b", "'", "';--", "%", "_", "\\", "\u{0}", "a\u{0}b",
            "\u{FFFD}",
            "\u{10FFFF}", "\u{301}", "\n\t", "“", "a\" b", String(repeating: "a", count: 10_000),
            String(repeating: "a ", count: 5_000), String(repeating: "\"", count: 999),
            String(repeating: "字", count: 3_000),
        ])
    func anything(_ typed: String) throws {
        let shelf = try SearchedShelf([("A and not near or b", "title", "")])
        _ = try shelf.found(typed, limit: 1)
        _ = try shelf.find(typed)
    }

    @Test("Operators are words")
    func operators() throws {
        let shelf = try SearchedShelf([
            ("War and Peace", "x", ""), ("War or Peace", "x", ""), ("War, not Peace", "x", ""),
        ])
        #expect(try shelf.find("war AND peace") == ["War and Peace"])
        #expect(try shelf.find("war OR peace") == ["War or Peace"])
        #expect(try shelf.find("NOT peace") == ["War, not Peace"])
        #expect(try shelf.find("title:war") == [])
        #expect(try shelf.find("(war) -and* ^peace") == ["War and Peace"])
    }

    @Test("An empty query, or one without a word, finds nothing", arguments: ["", " ", "\"\"", "…!?", "()"])
    func empty(_ typed: String) throws {
        let shelf = try SearchedShelf([("A", "x", "")])
        #expect(try shelf.find(typed) == [])
        #expect(SearchQuery(typed).isEmpty)
    }

    @Test("Only purchased books are found, unless all are asked for: then those come first")
    func purchased() throws {
        let catalog = try TemporaryCatalog()
        let shelf = try SearchedShelf(
            catalog, [book("1", title: "Winter", isPurchased: false), book("2", title: "Zoo", author: "Winter")])
        #expect(try shelf.find("winter", all: false) == ["Zoo"])
        #expect(try shelf.find("winter") == ["Zoo", "Winter"])
        #expect(try shelf.found("winter", limit: 1).total == 2)
    }

    @Test("The beginning of very many words finds all books that have one of them")
    func manyWords() throws {
        let words = (0..<1_200).map { "zz" + String($0, radix: 36) }
        let shelf = try SearchedShelf([
            ("A", "x", words[..<600].joined(separator: " ")), ("B", "x", words[600...].joined(separator: " ")),
            ("C", "zzz", "other"),
            ("D", "x", "other"),
        ])
        #expect(try shelf.find("zz") == ["C", "A", "B"])
        #expect(try shelf.find("other z") == ["C"])
        #expect(try shelf.find("\"zz1 zz\"") == [])
        #expect(try shelf.find("\"zz1 zz") == ["A"])
        #expect(try shelf.find("zz1") == ["A"])
    }

    @Test(
        "A beginning that very many words of titles have finds them in the order of titles, those that came later too")
    func manyWordsInTitles() throws {
        let catalog = try TemporaryCatalog()
        let long = (0..<2_100).map { "y" + String($0, radix: 36) }.joined(separator: " ")
        let first = [
            book("1", title: long), book("2", title: "By y"), book("3", title: "Ay Ybor"), book("4", title: "Ay by"),
        ]
        let shelf = try SearchedShelf(catalog, first)
        #expect(try shelf.find("Y") == ["By y", "Ay Ybor", long])
        try catalog.replace(first + [book("5", title: "Zoo Ysaye")])
        try shelf.index()
        #expect(try shelf.find("y") == ["By y", "Ay Ybor", long, "Zoo Ysaye"])
        #expect(try shelf.find("ay y") == ["Ay Ybor"])
    }

    @Test("A sort form of an author is found where it says more than the name")
    func sortForms() throws {
        var record = book("1", title: "三体")
        record.authors = [Author(name: "刘慈欣", sortName: "Liu, Cixin"), Author(name: "Ken Liu", sortName: "Liu, Ken")]
        let shelf = try SearchedShelf(try TemporaryCatalog(), [record])
        #expect(try shelf.find("cixin") == ["三体"])
        #expect(try shelf.find("\"liu ken\"") == [])
    }

    // MARK: - Following

    @Test("What changed is found as it is, and what went isn't, with few changes and with many", arguments: [1, 2_500])
    func follows(_ others: Int) throws {
        let catalog = try TemporaryCatalog()
        let rest = (0..<others).map { book("rest-\($0)", title: "Rest \($0)") }
        let shelf = try SearchedShelf(catalog, [book("1", title: "Old Title"), book("2", title: "Going")] + rest)
        #expect(try shelf.find("old") == ["Old Title"])
        try catalog.replace(
            [book("1", title: "New Title"), book("3", title: "Coming")]
                + rest.map { record in
                    var record = record
                    record.title += " again"
                    return record
                })
        var queries = try CatalogQueries(path: catalog.path)
        #expect(try queries.pendingIndexCount() == 3 + others)
        #expect(try shelf.find("new") == [])
        try shelf.index()
        #expect(try queries.pendingIndexCount() == 0)
        #expect(try shelf.find("new") == ["New Title"])
        #expect(try shelf.find("old") == [])
        #expect(try shelf.find("going") == [])
        #expect(try shelf.find("coming") == ["Coming"])
        #expect(try shelf.find("title") == ["New Title"])
        #expect(try shelf.found("again rest", limit: 10).total == others)
        // The same connection goes on with a new index.
        #expect(try queries.search(SearchQuery("coming"), includesUnpurchased: false).books.count == 1)
    }

    @Test("Later books stand in the order of titles among those that were there")
    func order() throws {
        let catalog = try TemporaryCatalog()
        let first = ["B winter", "D winter", "F winter"], later = ["A winter", "C winter", "E winter", "G winter"]
        let shelf = try SearchedShelf(catalog, first.map { book($0, title: $0) })
        try catalog.replace((first + later).map { book($0, title: $0) })
        try shelf.index()
        #expect(try shelf.find("winter") == (first + later).sorted())
        #expect(try shelf.find("winter", limit: 4) == ["A winter", "B winter", "C winter", "D winter"])
    }

    @Test("A change that concerns nothing that is searched leaves the index alone")
    func unchanged() throws {
        let catalog = try TemporaryCatalog()
        let shelf = try SearchedShelf(catalog, [book("1", title: "Winter")])
        let before = try shelf.indexFile()
        try catalog.replace([book("1", title: "Winter", category: "Poems", size: 7)])
        try shelf.index()
        #expect(try shelf.find("winter") == ["Winter"])
        #expect(try shelf.indexFile() == before)
    }

    @Test("An index that is missing, damaged, or of another catalog is made anew", arguments: [0, 1, 2])
    func madeAnew(_ how: Int) throws {
        let catalog = try TemporaryCatalog()
        let shelf = try SearchedShelf(catalog, [book("1", title: "Winter")])
        switch how {
        case 0: try FileManager.default.removeItem(at: shelf.indexURL)
        case 1: try Data(repeating: 0x41, count: 20_000).write(to: shelf.indexURL)
        default:
            let other = try SearchedShelf(try TemporaryCatalog(), [book("9", title: "Summer")])
            try FileManager.default.removeItem(at: shelf.indexURL)
            try FileManager.default.copyItem(at: other.indexURL, to: shelf.indexURL)
        }
        #expect(try shelf.find("summer") == [])
        let queries = try CatalogQueries(path: catalog.path)
        #expect(try queries.pendingIndexCount() == 1)
        try shelf.index()
        #expect(try shelf.find("winter") == ["Winter"])
        #expect(try queries.pendingIndexCount() == 0)
    }

    @Test("Nothing but the index itself is left behind, and it is private")
    func leavesNothing() throws {
        let catalog = try TemporaryCatalog()
        let shelf = try SearchedShelf(catalog, [book("1", title: "Winter")])
        try catalog.replace([book("1", title: "Summer")])
        try shelf.index()
        let names = try FileManager.default.contentsOfDirectory(
            atPath: shelf.indexURL.deletingLastPathComponent().path(percentEncoded: false))
        #expect(Set(names) == ["index.db", "index.db.lock", "index.db.indexing"])
        let attributes = try FileManager.default.attributesOfItem(atPath: shelf.indexURL.path(percentEncoded: false))
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
    }

    @Test("While another process makes the index, one that waits for it says so")
    func busy() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1")])
        let directory = catalog.directory.appending(path: "search")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let lock = directory.appending(path: "index.db.indexing").path(percentEncoded: false)
        let descriptor = unsafe open(lock, O_CREAT | O_RDWR, 0o600)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX) == 0)
        #expect(try SearchIndexer(catalogPath: catalog.path).bringUpToDate(waitingAtMost: .zero) == .isBusy)
        flock(descriptor, LOCK_UN)
        #expect(try SearchIndexer(catalogPath: catalog.path).bringUpToDate(waitingAtMost: .zero) == .isUpToDate)
    }

    // MARK: - Names

    @Test("On the shelf, what is found has names that differ, and the numbers that it has elsewhere")
    func names() throws {
        let catalog = try TemporaryCatalog()
        let shelf = try SearchedShelf(
            catalog,
            [
                book("1", title: "Winter", author: "Ann", category: "A"),
                book("2", title: "WINTER", author: "Ben", category: "B"),
                book("3", title: "Winter", author: "Ann", category: "C"), book("4", title: "Winter", size: nil),
                book("5", title: "Winter", isPurchased: false),
            ])
        let readers = try CatalogReaders(path: catalog.path, count: 1)
        let found = try readers.search(SearchQuery("winter"), limit: 10)
        #expect(found.map(\.name) == ["Winter.epub", "WINTER - Ben.epub", "Winter - Ann.epub"])
        #expect(try found.first?.version == catalog.version(at: "A/Winter.epub"))
        #expect(try readers.search(SearchQuery("winter"), limit: 1).count == 1)
        #expect(!readers.isIndexBehind())
        try catalog.replace([book("1", title: "Summer", category: "A")])
        #expect(readers.isIndexBehind())
        try shelf.index()
        #expect(try readers.search(SearchQuery("winter"), limit: 10).isEmpty)
        #expect(try readers.search(SearchQuery("summer"), limit: 10).map(\.name) == ["Summer.epub"])
    }
}
