import Catalog
import Foundation
import SQLite
import Shelf
import Testing

/// How a page is damaged.
enum Damage: Sendable, CaseIterable {
    case zeros
    case noise

    /// Only in its middle, so that it may look whole.
    case scribble
}

/// How a file is damaged.
enum Ruin: Sendable, CaseIterable {
    case cutInHalf, cutInAPage, empty, garbageHeader, garbage
}

/// A catalog large enough that its trees have several pages, with a note and a pin on every book; all of it in its file.
final class FilledCatalog {
    let catalog: TemporaryCatalog
    let books: [BookRecord]
    var path: String { catalog.path }
    private static var pageByteCount: Int { 4_096 }

    init() throws {
        catalog = try TemporaryCatalog()
        books = (1...1_000).map { number in
            var book = book("\(number)", category: "Category \(number % 7)", size: 1_000 + Int64(number), modifiedAt: 5)
            book.description = "What book \(number) is about."
            return book
        }
        try catalog.replace(books)
        let connection = try Connection(path, access: .readWrite)
        try connection.execute(
            """
            INSERT INTO annotation (book, kind, value, changed_at) SELECT id, 'note', 'mine ' || id, 1 FROM book;
            INSERT INTO personal (book, is_pinned) SELECT id, 1 FROM book;
            PRAGMA wal_checkpoint(TRUNCATE);
            """)
    }

    private init(_ catalog: TemporaryCatalog, _ books: [BookRecord]) {
        self.catalog = catalog
        self.books = books
    }

    /// Another one like it.
    func copy() throws -> FilledCatalog {
        let copy = FilledCatalog(try TemporaryCatalog(), books)
        for suffix in ["", ".mark"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy.path + suffix)
        }
        return copy
    }

    /// Another one like it, whose journal holds an import.
    func copyDuringWrite() throws -> FilledCatalog {
        let copy = FilledCatalog(try TemporaryCatalog(), books)
        // The last connection to be closed would take the journal away.
        let reader = try Connection(path, access: .read)
        #expect(try reader.number("SELECT count(*) FROM book") == books.count)
        try catalog.replace(books + [book("more")])
        for suffix in ["", ".mark", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy.path + suffix)
        }
        #expect(try reader.number("SELECT count(*) FROM book") == books.count + 1)
        return copy
    }

    // MARK: - Pages

    /// The tables and indexes that have a page.
    func trees() throws -> [String] {
        let connection = try Connection(path, access: .read)
        var trees: [String] = []
        var find = try Statement("SELECT DISTINCT name FROM dbstat ORDER BY name", on: connection)
        try find.forEachRow([]) { (row) in trees.append(row.text(at: 0)) }
        return trees
    }

    /// The pages of a tree, its root first.
    func pages(of tree: String) throws -> [Int] {
        let connection = try Connection(path, access: .read)
        var pages: [Int] = []
        var find = try Statement("SELECT pageno FROM dbstat WHERE name = ?1 ORDER BY path", on: connection)
        try find.forEachRow([.text(tree)]) { (row) in pages.append(Int(row.integer(at: 0))) }
        return pages
    }

    func damage(_ page: Int, with damage: Damage) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        let start = UInt64((page - 1) * Self.pageByteCount)
        switch damage {
        case .zeros: try write(Data(count: Self.pageByteCount), at: start, of: file)
        case .noise: try write(Data(repeating: 0xA5, count: Self.pageByteCount), at: start, of: file)
        case .scribble: try write(Data(repeating: 0x5A, count: 600), at: start + 2_000, of: file)
        }
        try file.close()
    }

    func ruin(by ruin: Ruin) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        let size = try file.seekToEnd()
        switch ruin {
        case .cutInHalf: try file.truncate(atOffset: size / 8_192 * 4_096)
        case .cutInAPage: try file.truncate(atOffset: size - 5_000)
        case .empty: try file.truncate(atOffset: 0)
        case .garbageHeader: try write(Data(repeating: 0xA5, count: 100), at: 0, of: file)
        case .garbage: try write(Data(repeating: 0x41, count: Int(size)), at: 0, of: file)
        }
        try file.close()
    }

    private func write(_ data: Data, at offset: UInt64, of file: FileHandle) throws {
        try file.seek(toOffset: offset)
        try file.write(contentsOf: data)
    }

    /// Marks the catalog as one that met damage would.
    func mark() {
        _ = FileManager.default.createFile(atPath: path + ".needs-rebuilding", contents: Data("marked".utf8))
    }

    // MARK: - What is in it

    /// The version that stands at every path.
    func inodes() throws -> [String: Int64] {
        let readers = try CatalogReaders(path: path, count: 1)
        var directories: [(DirectoryID, String)] = []
        try readers.list(.root, after: 0, includesAttributes: false) { (_, name, node) in
            if case .directory(let id) = node { directories.append((id, text(name))) }
            return true
        }
        var inodes: [String: Int64] = [:]
        for (id, directory) in directories {
            var names: [String] = []
            try readers.list(id, after: 0, includesAttributes: false) { (_, name, _) in
                names.append(text(name))
                return true
            }
            for name in names {
                if case .book(let version)? = try readers.lookup(name, in: id), try readers.content(version.id) != nil {
                    inodes["\(directory)/\(name)"] = version.id.rawValue
                }
            }
        }
        return inodes
    }

    /// How many books the queries find.
    func listed() throws -> Int {
        var queries = try CatalogQueries(path: path)
        var count = 0
        try queries.forEachBook { _ in count += 1 }
        return count
    }

    /// How many notes and pins there are on books.
    func notes() throws -> (Int, Int) {
        let connection = try Connection(path, access: .read)
        return (
            Int(
                try connection.number(
                    "SELECT count(*) FROM annotation AS a JOIN book AS b ON b.id = a.book WHERE value = 'mine ' || b.id"
                )),
            Int(
                try connection.number(
                    "SELECT count(*) FROM personal AS p JOIN book AS b ON b.id = p.book WHERE is_pinned = 1"))
        )
    }

    func checkIntegrity(_ what: Comment) throws {
        let connection = try Connection(path, access: .read)
        var results: [String] = []
        var check = try Statement("PRAGMA integrity_check", on: connection)
        try check.forEachRow([]) { (row) in results.append(row.text(at: 0)) }
        #expect(results == ["ok"], what)
        var orphans = 0
        var references = try Statement("PRAGMA foreign_key_check", on: connection)
        try references.forEachRow([]) { (_) in orphans += 1 }
        #expect(orphans == 0, what)
        #expect(
            try connection.number("SELECT value FROM property WHERE name = 'shelf_file_count'")
                == connection.number("SELECT count(DISTINCT book) FROM dentry"), what)
    }
}
