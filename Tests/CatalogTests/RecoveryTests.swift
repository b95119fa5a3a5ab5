import Catalog
import Foundation
import SQLite
import Shelf
import Testing

@Suite("Recovery")
struct RecoveryTests {
    @Test(
        "A damaged page is marked by whoever meets it; the next opening for writing refuses, and a rebuilding takes the mark"
    )
    func markedAndRebuilt() throws {
        let filled = try FilledCatalog()
        let before = try filled.inodes()
        let page = try #require(try filled.pages(of: "version").dropFirst().first)
        try filled.damage(page, with: .zeros)
        let recovery = CatalogRecovery(path: filled.path)
        #expect(recovery.damage == nil)
        #expect(throws: CatalogError.self) { _ = try filled.inodes() }
        #expect(recovery.damage != nil)
        #expect(recovery.isDue(now: 100))
        #expect {
            _ = try CatalogWriter(path: filled.path)
        } throws: { error in
            if case .damaged? = error as? CatalogError { true } else { false }
        }

        let rebuild = try #require(try recovery.rebuildIfMarked(now: 1_700_000_000))
        #expect(rebuild.keptAt == filled.path + ".damaged-20231114-221320")
        #expect(FileManager.default.fileExists(atPath: rebuild.keptAt))
        #expect(!rebuild.isComplete)
        #expect(recovery.damage == nil)
        #expect(recovery.lastRebuild == rebuild)
        #expect(try recovery.rebuildIfMarked(now: 1_700_000_001) == nil)
        // What isn't on that page is on the shelf as it was.
        let after = try filled.inodes()
        #expect(after.count < before.count)
        #expect(after.count > before.count - 100)
        for (path, inode) in after { #expect(before[path] == inode) }
    }

    @Test(
        "Whatever page is damaged, nothing crashes, what can be read stays, and the next import brings the rest",
        arguments: [
            Damage.zeros, .noise, .scribble,
        ])
    func everyTree(damage: Damage) throws {
        let filled = try FilledCatalog()
        let before = try filled.inodes()
        let trees = try filled.trees()
        #expect(trees.count > 20)
        // Without the schema nothing in the file can be found; the search index isn't salvaged.
        for tree in trees where tree != "sqlite_schema" && !tree.hasPrefix("book_text") {
            let pages = try filled.pages(of: tree)
            // A scribble in the only page of a small table may hit nothing.
            let tried = damage == .zeros ? [pages[0], pages[pages.count / 2]] : [pages[pages.count / 2]]
            for page in Set(tried) {
                let copy = try filled.copy()
                try copy.damage(page, with: damage)
                // Whoever meets it.
                _ = try? copy.inodes()
                _ = try? copy.catalog.replace(filled.books)
                _ = try? copy.listed()
                copy.mark()
                let rebuild = try #require(try CatalogRecovery(path: copy.path).rebuildIfMarked(now: 1_700_000_000))
                #expect(rebuild.salvagedRowCount > 0)
                let what = Comment("\(tree), page \(page), \(damage)")
                try copy.checkIntegrity(what)
                let served = try copy.inodes()
                // A page holds at most so many rows.
                let bearable = tree == "version" ? before.count / 4 : damage == .scribble ? 100 : 0
                let isRoot = page == pages[0]
                if !(tree == "version" && isRoot) {
                    #expect(served.count >= before.count - bearable, what)
                    #expect(served.filter { before[$0.key] == $0.value }.count >= before.count - 2 * bearable, what)
                }
                let notes = try copy.notes()
                if tree != "annotation", damage != .scribble { #expect(notes.0 == filled.books.count, what) }
                if tree != "personal", damage != .scribble { #expect(notes.1 == filled.books.count, what) }

                try copy.catalog.replace(filled.books)
                try copy.checkIntegrity(what)
                let after = try copy.inodes()
                #expect(Set(after.keys) == Set(before.keys), what)
                if !(tree == "version" && isRoot) {
                    #expect(after.filter { before[$0.key] == $0.value }.count >= before.count - 2 * bearable, what)
                }
                let new = Set(after.values).subtracting(before.values)
                #expect(new.allSatisfy { $0 > 1_000_000 }, what)
                #expect(try copy.catalog.replace(filled.books).updated == 0, what)
            }
        }
    }

    @Test(
        "A file that is cut off, empty, or no database at all is kept aside, and the shelf begins with what can be read",
        arguments: [
            Ruin.cutInHalf, .cutInAPage, .empty, .garbageHeader, .garbage,
        ])
    func ruined(ruin: Ruin) throws {
        let filled = try FilledCatalog()
        let before = try filled.inodes()
        try filled.ruin(by: ruin)
        _ = try? filled.inodes()
        #expect {
            _ = try CatalogWriter(path: filled.path)
        } throws: { error in
            if case .damaged? = error as? CatalogError { true } else { false }
        }
        let rebuild = try #require(try CatalogRecovery(path: filled.path).rebuildIfMarked(now: 6))
        #expect(!rebuild.isComplete)
        try filled.checkIntegrity("\(ruin)")
        try filled.catalog.replace(filled.books)
        try filled.checkIntegrity("\(ruin)")
        let after = try filled.inodes()
        #expect(Set(after.keys) == Set(before.keys))
        for (path, inode) in after where before[path] != inode { #expect(inode > 1_000_000) }
    }

    @Test("A catalog whose journal is lost is whole, and an import brings what was in it")
    func lostJournal() throws {
        let filled = try FilledCatalog()
        let copy = try filled.copyDuringWrite()
        try FileManager.default.removeItem(atPath: copy.path + "-wal")
        try? FileManager.default.removeItem(atPath: copy.path + "-shm")
        try copy.checkIntegrity("without a journal")
        try copy.catalog.replace(filled.books)
        #expect(try copy.catalog.tree().count == filled.books.count)
    }

    @Test("Who has the damaged catalog open reads on, and can't write to it any more: another has its name")
    func openMeanwhile() throws {
        let filled = try FilledCatalog()
        let readers = try CatalogReaders(path: filled.path, count: 2)
        let writer = try CatalogWriter(path: filled.path)
        let total = try readers.statistics().fileCount
        filled.mark()
        let rebuild = try #require(try CatalogRecovery(path: filled.path).rebuildIfMarked(now: 7))
        #expect(rebuild.isComplete)
        #expect(try readers.statistics().fileCount == total)
        #expect(throws: CatalogError.replaced) {
            _ = try writer.addSource(name: "late", kind: "store", location: "/late.json")
        }
        // The old journal isn't taken for one of the new file, however the old connections end.
        try filled.catalog.replace([book("new")], source: "other")
        _ = consume readers
        _ = consume writer
        try filled.checkIntegrity("after the old connections")
        #expect(try filled.catalog.tree().contains("Novels/Title new.epub"))
    }

    @Test("Damage that is met in a file that was replaced meanwhile doesn't mark the new one")
    func damageBehind() throws {
        let filled = try FilledCatalog()
        let page = try #require(try filled.pages(of: "dentry").dropFirst().first)
        try filled.damage(page, with: .zeros)
        let readers = try CatalogReaders(path: filled.path, count: 1)
        filled.mark()
        _ = try #require(try CatalogRecovery(path: filled.path).rebuildIfMarked(now: 7))
        #expect(throws: CatalogError.self) {
            for number in 1...7 {
                try readers.list(DirectoryID(rawValue: Int64(number)), after: 0, includesAttributes: false) { _, _, _ in
                    true
                }
            }
        }
        #expect(CatalogRecovery(path: filled.path).damage == nil)
        try filled.checkIntegrity("the new one")
    }

    @Test("Whoever follows the catalog enumerates anew after a rebuilding, and no sequence number comes twice")
    func anchors() throws {
        let filled = try FilledCatalog()
        let anchor = try filled.catalog.anchor()
        filled.mark()
        _ = try CatalogRecovery(path: filled.path).rebuildIfMarked(now: 7)
        #expect(try filled.catalog.changes(after: anchor) == nil)
        #expect(try filled.catalog.anchor() > anchor)
    }

    @Test("A catalog that is damaged again and again isn't rebuilt for ever, but again an hour later")
    func bounded() throws {
        let filled = try FilledCatalog()
        let recovery = CatalogRecovery(path: filled.path)
        for second in 1...3 {
            filled.mark()
            #expect(try recovery.rebuildIfMarked(now: 10_000 + Int64(second)) != nil)
        }
        filled.mark()
        #expect(!recovery.isDue(now: 10_010))
        #expect(throws: CatalogError.self) { _ = try recovery.rebuildIfMarked(now: 10_010) }
        #expect(recovery.damage != nil)
        #expect(try recovery.rebuildIfMarked(now: 20_000) != nil)
    }

    @Test("Sources, what waits to be sent, purchases and records of the audit are kept with their numbers")
    func restIsKept() throws {
        let filled = try FilledCatalog()
        _ = try CatalogWriter(path: filled.path).addSource(
            name: "shop", kind: "store", location: "https://shop.example/", options: "{\"a\":1}", allowsPlainHTTP: true)
        do {
            let connection = try Connection(filled.path, access: .readWrite)
            try connection.execute(
                """
                INSERT INTO outbox (id, kind, body, queued_at) VALUES (77, 'note', 'body', 1);
                INSERT INTO audit (id, at, event) VALUES (88, 1, 'opened');
                INSERT INTO setting VALUES ('name', 'value');
                INSERT INTO purchase VALUES (5, 'order', '1.00', 2);
                """)
        }
        filled.mark()
        let rebuild = try #require(try CatalogRecovery(path: filled.path).rebuildIfMarked(now: 7))
        #expect(rebuild.isComplete)
        let sources = try CatalogWriter(path: filled.path).sources()
        #expect(sources.map(\.name) == ["import", "shop"])
        #expect(sources.last?.location == "https://shop.example/")
        #expect(sources.last?.options == "{\"a\":1}")
        #expect(sources.last?.allowsPlainHTTP == true)
        let connection = try Connection(filled.path, access: .read)
        #expect(try connection.number("SELECT id FROM outbox WHERE body = 'body'") == 77)
        #expect(try connection.number("SELECT id FROM audit WHERE event = 'opened'") == 88)
        #expect(try connection.number("SELECT count(*) FROM setting WHERE value = 'value'") == 1)
        #expect(try connection.number("SELECT purchased_at FROM purchase WHERE book = 5") == 2)
        #expect(try connection.number("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'") == 77)
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

    @Test("A mark of numbers that is damaged itself is made anew")
    func damagedNumbers() throws {
        let catalog = try TemporaryCatalog()
        try catalog.replace([book("1")])
        try Data(repeating: 0x41, count: 4_096).write(to: URL(filePath: catalog.path + ".mark"))
        try catalog.replace([book("1"), book("2")])
        #expect(try Connection(catalog.path + ".mark", access: .read).number("SELECT count(*) FROM mark") == 1)
    }
}
