import ContentSources
import Foundation
import SQLite
import Shelf
import Testing

@Suite("Calibre libraries")
final class CalibreTests {
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "calibre-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// Makes a library with the tables of Calibre and one book, and hands out its database.
    private func library() throws -> Connection {
        let connection = try Connection(directory.path + "/metadata.db", access: .create)
        try connection.execute(Self.tables)
        try FileManager.default.createDirectory(
            atPath: directory.path + "/Ann/Lamp (1)", withIntermediateDirectories: true)
        try Data("PK\u{3}\u{4} one".utf8).write(to: URL(filePath: directory.path + "/Ann/Lamp (1)/Lamp - Ann.epub"))
        return connection
    }

    private static var tables: StaticString {
        """
        PRAGMA journal_mode = DELETE;
        CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, timestamp TEXT, series_index REAL NOT NULL DEFAULT 1.0,
            path TEXT NOT NULL DEFAULT '', uuid TEXT, has_cover BOOL DEFAULT 0);
        CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT, sort TEXT);
        CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE series (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE publishers (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE languages (id INTEGER PRIMARY KEY, lang_code TEXT);
        CREATE TABLE identifiers (id INTEGER PRIMARY KEY, book INTEGER, type TEXT, val TEXT);
        CREATE TABLE comments (id INTEGER PRIMARY KEY, book INTEGER, text TEXT);
        CREATE TABLE data (id INTEGER PRIMARY KEY, book INTEGER, format TEXT, uncompressed_size INTEGER, name TEXT);
        CREATE TABLE custom_columns (id INTEGER PRIMARY KEY, label TEXT, normalized BOOL);
        CREATE TABLE books_authors_link (id INTEGER PRIMARY KEY, book INTEGER, author INTEGER);
        CREATE TABLE books_tags_link (id INTEGER PRIMARY KEY, book INTEGER, tag INTEGER);
        CREATE TABLE books_series_link (id INTEGER PRIMARY KEY, book INTEGER, series INTEGER);
        CREATE TABLE books_publishers_link (id INTEGER PRIMARY KEY, book INTEGER, publisher INTEGER);
        CREATE TABLE books_languages_link (id INTEGER PRIMARY KEY, book INTEGER, lang_code INTEGER, item_order INTEGER);
        INSERT INTO books VALUES (1, 'Lamp', '2024-05-31 08:30:00.5+00:00', 2.5, 'Ann/Lamp (1)', 'u-1', 1);
        INSERT INTO authors VALUES (1, 'Bob', 'Bob'), (2, 'Poe| Jr.', 'Jr., Poe');
        INSERT INTO books_authors_link VALUES (1, 1, 2), (2, 1, 1);
        INSERT INTO tags VALUES (1, 'Light'), (2, 'A.B');
        INSERT INTO books_tags_link VALUES (1, 1, 2), (2, 1, 1);
        INSERT INTO series VALUES (1, 'Lamps'); INSERT INTO books_series_link VALUES (1, 1, 1);
        INSERT INTO publishers VALUES (1, 'House'); INSERT INTO books_publishers_link VALUES (1, 1, 1);
        INSERT INTO languages VALUES (1, 'ita'), (2, 'deu'); INSERT INTO books_languages_link VALUES (1, 1, 1, 1), (2, 1, 2, 0);
        INSERT INTO identifiers VALUES (1, 1, 'isbn', '123'), (2, 1, 'amazon', 'x');
        INSERT INTO comments VALUES (1, 1, '<p>It <b>burns</b>.</p>');
        INSERT INTO data VALUES (1, 1, 'PDF', 1, 'Lamp - Ann'), (2, 1, 'EPUB', 7, 'Lamp - Ann');
        INSERT INTO custom_columns VALUES (3, 'genre', 1), (4, 'shelfmark', 0);
        CREATE TABLE custom_column_3 (id INTEGER PRIMARY KEY, value TEXT);
        CREATE TABLE books_custom_column_3_link (id INTEGER PRIMARY KEY, book INTEGER, value INTEGER);
        CREATE TABLE custom_column_4 (id INTEGER PRIMARY KEY, book INTEGER, value TEXT);
        INSERT INTO custom_column_3 VALUES (1, 'Poetry'), (2, 'Prose'); INSERT INTO books_custom_column_3_link VALUES (1, 1, 2), (2, 1, 1);
        INSERT INTO custom_column_4 VALUES (1, 1, 'PR 4');
        """
    }

    private func read(
        categories: CategoryField = .tags, preference: [BookFormat] = [.epub, .kepub]
    ) throws(SourceError) -> [BookRecord] {
        var records: [SourceRecord] = []
        try CalibreLibrary(directory.path, preference: preference, categories: categories).read {
            (record) throws(SourceError) in records.append(record)
        }
        return records.books
    }

    @Test("A row becomes a book with all that the library says")
    func row() throws {
        _ = try library()
        let book = try #require(try read().first)
        #expect(book.key == "u-1" && book.title == "Lamp")
        #expect(book.authors == [Author(name: "Poe, Jr.", sortName: "Jr., Poe"), Author(name: "Bob", sortName: "Bob")])
        #expect(book.categories == ["A.B", "Light"])
        #expect(book.series == "Lamps" && book.seriesIndex == 2.5)
        #expect(book.publisher == "House" && book.language == "de" && book.isbn == "123")
        #expect(book.description == "It burns.")
        #expect(book.purchasedAt == 1_717_144_200 && book.isPurchased)
        #expect(book.content?.byteCount == 8)
        #expect(book.content?.url.hasSuffix("/Ann/Lamp%20%281%29/Lamp%20-%20Ann.epub") == true)
        #expect(book.content.map { LibraryFile.isOne($0.url) } == true)
        #expect(book.coverURL?.hasSuffix("/cover.jpg") == true)
    }

    @Test(
        "Categories come from tags, series, publisher, or a column of either kind; a column that isn't there is an error"
    )
    func categories() throws {
        _ = try library()
        #expect(try read(categories: .series).first?.categories == ["Lamps"])
        #expect(try read(categories: .publisher).first?.categories == ["House"])
        #expect(try read(categories: .column("genre")).first?.categories == ["Prose", "Poetry"])
        #expect(try read(categories: .column("shelfmark")).first?.categories == ["PR 4"])
        let error = #expect(throws: SourceError.self) { try read(categories: .column("other")) }
        #expect(error?.reason.contains("#other") == true)
        #expect(CategoryField("#genre") == .column("genre"))
        #expect(CategoryField("tags") == .tags && CategoryField("series") == .series)
        #expect(CategoryField("#") == nil && CategoryField("colour") == nil)
    }

    @Test("Of several forms the preferred one that is there is taken; without one the book has no content")
    func forms() throws {
        let connection = try library()
        try connection.execute("INSERT INTO data VALUES (3, 1, 'KEPUB', 1, 'Lamp - Ann')")
        #expect(try read(preference: [.kepub, .epub]).first?.content?.mediaType == "application/epub+zip")
        try Data("kepub".utf8).write(to: URL(filePath: directory.path + "/Ann/Lamp (1)/Lamp - Ann.kepub"))
        #expect(try read(preference: [.kepub, .epub]).first?.content?.mediaType == "application/kepub+zip")
        #expect(try read().first?.content?.mediaType == "application/epub+zip")
        try connection.execute("DELETE FROM data WHERE format <> 'PDF'")
        let book = try read().first
        #expect(book != nil && book?.content == nil)
    }

    @Test(
        "A path that leads out of the library is no content",
        arguments: ["../Ann", "/etc", "Ann/../../x", "Ann//Lamp (1)", "", ".", "Ann/Lamp (1)/"])
    func paths(_ path: String) throws {
        try library().run("UPDATE books SET path = ?1", .text(path))
        let book = try read().first
        #expect(book != nil && book?.content == nil && book?.coverURL == nil)
    }

    @Test(
        "A library that somebody writes to is an error that says so, and read again afterwards", .timeLimit(.minutes(1))
    )
    func locked() throws {
        let connection = try library()
        try connection.execute("BEGIN EXCLUSIVE")
        let error = #expect(throws: SourceError.self) { try read() }
        #expect(error?.reason.contains("locked") == true)
        try connection.execute("COMMIT")
        #expect(try read().count == 1)
    }

    @Test("Nothing is written to the library, and nothing beside it")
    func untouched() throws {
        _ = try library()
        let before = try listing()
        #expect(try read().count == 1)
        #expect(try listing() == before)
    }

    @Test("What can't be read without writing, and what is no library, is refused")
    func refused() throws {
        #expect(throws: SourceError.self) { try read() }
        let file = URL(filePath: directory.path + "/metadata.db")
        for bytes in [Data(), Data("no database, but long enough to look like one".utf8), Data(count: 4_096)] {
            try bytes.write(to: file)
            #expect(throws: SourceError.self) { try read() }
        }
        try FileManager.default.removeItem(at: file)
        try Connection(file.path, access: .create).execute("CREATE TABLE books (id)")
        let other = #expect(throws: SourceError.self) { try read() }
        #expect(other?.reason.contains("isn't the database of a Calibre library") == true)
        try FileManager.default.removeItem(at: file)
        try library().execute("PRAGMA journal_mode = WAL")
        let log = #expect(throws: SourceError.self) { try read() }
        #expect(log?.reason.contains("write-ahead log") == true)
    }

    /// What is in the library, with the bytes of its database and its date.
    private func listing() throws -> [String] {
        let files = try FileManager.default.subpathsOfDirectory(atPath: directory.path).sorted()
        let database = try Data(contentsOf: URL(filePath: directory.path + "/metadata.db"))
        let date = try FileManager.default.attributesOfItem(atPath: directory.path)[.modificationDate]
        return files + [database.base64EncodedString(), "\(String(describing: date))"]
    }

    @Test(
        "Each row of the library of the corpus is what it should be",
        .enabled(if: Corpus.isThere, "needs the corpus: BOOKSHELF_TEST_CORPUS, or ../shared/corpus"))
    func corpus() throws {
        var books: [BookRecord] = []
        let path = URL(filePath: Corpus.path("calibre-library")).standardizedFileURL.path
        try CalibreLibrary(path).read { (record) throws(SourceError) in
            if case .book(let book, _) = record { books.append(book) }
        }
        var genres: [String] = []
        try CalibreLibrary(path, categories: .column("genre")).read { (record) throws(SourceError) in
            if case .book(let book, _) = record { genres.append(book.categories.joined(separator: ",")) }
        }
        let lines = zip(books, genres).map { book, genre in
            let series = book.series.map { "\($0)[\(book.seriesIndex ?? 0)]" } ?? ""
            let size = book.content?.byteCount.map { String($0) } ?? ""
            return [
                String(book.title.prefix(40)), book.authors.joined, book.categories.joined(separator: ","), genre,
                series,
                book.publisher ?? "", book.language ?? "", size,
            ].joined(separator: "\t")
        }
        let expected = Self.table.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.count == expected.count)
        for (line, wanted) in zip(lines, expected) {
            #expect(line.utf8.elementsEqual(wanted.utf8), "\(line) for \(wanted)")
        }
        #expect(Set(books.map(\.key)).count == books.count)
    }

    /// Title (its first 40 letters), authors, tags, genre, series, publisher, language, size: made with another program.
    private static let table = #"""
        關於在沒有任何可靠紀錄的年代裡一位失去名字的圖書館員如何整理三萬冊受潮書籍並在每	佚名					en	712490
        AC/DC: What? "Quotes" <tags> | pipe * st	Author/Slash & Back\Slash	Detective,犯罪小说,Ünïcode/Slash,C++,a:b?c*d				en	1626
        ../../etc/passwd	..					en	1554
        Test title 1	Unknown	Test subject 1,Test subject 2			Test publisher 2	en	5450
        Test title 1	Unknown	Test subject 1,Test subject 2			Test publisher 1	en	6992
        The Waste Land	T.S. Eliot		Poetry,古典	世界名著系列/第一辑[1.5]		en	101882
        The Waste Land	T.S. Eliot			世界名著系列/第一辑[2.0]		en	433936
        Le Vrai Régime anti-cancer	Pr David Khayat & Nathalie Hutter-Lardeau				Hachette Antoine	ar	110690
        מפליגים בישראל	אורי עידן	פרוזה			הליקון ספרים	he	1358113
        Hefty Water	Unknown					en	3666
        étude d’été	ePub Sample project				ePub Sample	en	687303
        Debian 维护者指南	Osamu Aoki					en	172315
        Debian 維護者指南	Osamu Aoki					en	173047
        Debian メンテナー用ガイド	Osamu Aoki					en	156165
        Debian 小史	Unknown					en	72886
        간단한 데비안 역사	Unknown					ko	69673
        A Brief History of Debian	Unknown					en	65913
        Quick Start Guide	John Schember					en	22664
        Guide de démarrage rapide	John Schember	calibre,Guide				fr	25241
        deb-edu-legacy-zh-cn  debian-edu-itil-ma	Unknown						95018
        pkg-creator-order	Dave Cramer & Wendy Reid & Dan Lazin & Ivan Herman & Brady Duga				W3C	en	1863
        pkg-title-order	Dave Cramer				W3C	en	1821
        CSS: הרפתקה חדשה!	Ivan Herman				W3C	en	2014
        Minimal EPUB 3.0	Unknown					en	1504
        Ubuntu Packaging Guide	Ubuntu Developers				Ubuntu Developers	es	180309
        Ubuntu Packaging Guide	Ubuntu Developers				Ubuntu Developers	uk	191770
        The Waste Land	T.S. Eliot					en	101882
        Empty book, no formats	Nobody						
        """#
}
