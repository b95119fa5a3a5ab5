internal import SQLite
internal import Shelf
internal import TextForms

/// Puts a catalog right in which rows are missing: what refers to what, the tree, its totals.
///
/// What was on the shelf stays there as long as its content is known, also where the row of the book is lost: the next
/// sync restates every book, as none has the fingerprint of what its source states.
struct ShelfRepair {
    /// Nanoseconds since 1970.
    let now: Int64

    /// Runs all of it in the open transaction.
    func run(on catalog: borrowing Connection) throws(SQLiteError) {
        try standInForLostBooks(on: catalog)
        try standInForLostSources(on: catalog)
        guard try ArrangementProperty.read(on: catalog).isByCategoryAlone else {
            // Which directories there were can't be told from categories: all are made anew.
            try catalog.execute(Self.tidyUp)
            try CatalogWriter.arrangeAll(now: now, on: catalog)
            return try catalog.execute(Self.totals)
        }
        try restoreDirectories(on: catalog)
        try catalog.execute(Self.tidyUp)
        try showMissing(on: catalog)
        try catalog.execute(Self.totals)
    }

    /// A row for every book that something still refers to; its number is what keeps notes, pins and content with it.
    private func standInForLostBooks(on catalog: borrowing Connection) throws(SQLiteError) {
        try catalog.execute(
            """
            INSERT INTO book (id, source, key, fingerprint, title, authors, categories, is_purchased, is_sample,
                updated_at, is_revoked)
            SELECT id, ifnull((SELECT min(id) FROM source), 1), char(31) || id, 0, '', '', '', 0, 0, 0, 1 FROM (
                SELECT book AS id FROM dentry UNION SELECT book FROM annotation UNION SELECT book FROM personal
                UNION SELECT book FROM purchase UNION SELECT book FROM outbox WHERE book IS NOT NULL
            ) WHERE id NOT IN (SELECT id FROM book);
            DELETE FROM version WHERE book NOT IN (SELECT id FROM book);

            -- Lost, but on the shelf: as its names there tell.
            UPDATE book SET is_revoked = 0, is_purchased = 1,
                title = (SELECT rtrim(rtrim(name, replace(name, '.', '')), '.') FROM dentry WHERE book = book.id),
                categories = (SELECT group_concat(d.name, char(31)) FROM dentry AS e
                    JOIN directory AS d ON d.id = e.directory WHERE e.book = book.id)
            WHERE title = '' AND EXISTS (SELECT 1 FROM dentry AS e JOIN directory AS d ON d.id = e.directory
                WHERE e.book = book.id);
            UPDATE book SET fingerprint = 0;
            """)
    }

    /// A row for every source that a book refers to; adding a source of that name gives it back its books.
    private func standInForLostSources(on catalog: borrowing Connection) throws(SQLiteError) {
        try catalog.execute(
            """
            INSERT INTO source (id, name, kind, location, is_removed)
            SELECT DISTINCT source, 'lost-' || source, 'store', '', 1 FROM book
            WHERE source NOT IN (SELECT id FROM source);
            UPDATE source SET etag = NULL, last_modified = NULL;
            """)
    }

    /// Makes lost directories anew under their numbers, named after the one category that a book in them has.
    private func restoreDirectories(on catalog: borrowing Connection) throws(SQLiteError) {
        try catalog.execute(
            """
            INSERT OR IGNORE INTO directory (id, parent, name, folded, facet, modified_at, changed_at)
            VALUES (0, -1, '', '', '', 0, 0)
            """)
        var lost: [(id: Int64, category: String)] = []
        var find = try Statement(
            """
            SELECT e.directory, min(b.categories) FROM dentry AS e JOIN book AS b ON b.id = e.book
            WHERE e.directory NOT IN (SELECT id FROM directory) AND b.title <> ''
                AND instr(b.categories, char(31)) = 0
            GROUP BY e.directory
            """, on: catalog)
        try find.forEachRow([]) { (row) throws(SQLiteError) in
            lost.append((row.integer(at: 0), row.text(at: 1)))
        }
        var insert = try Statement(
            """
            INSERT OR IGNORE INTO directory (id, parent, name, folded, facet, modified_at, changed_at)
            VALUES (?1, 0, ?2, ?3, ?4, ?5, ?5)
            """, on: catalog)
        for (id, category) in lost {
            let title = (category.isEmpty ? BookFacts.uncategorised : category).inNFC
            let name = FileName.directory(title: title, ordinal: nil)
            try insert.run([
                .integer(id), .text(name), .text(name.foldedForComparison), .text(title.foldedForComparison),
                .integer(now),
            ])
        }
    }

    /// Takes out the entries that lead nowhere, and counts those that are left.
    private static var tidyUp: StaticString {
        """
        DELETE FROM dentry WHERE directory NOT IN (SELECT id FROM directory)
            OR NOT EXISTS (SELECT 1 FROM version AS v JOIN book AS b ON b.id = v.book
                WHERE v.id = dentry.version AND v.book = dentry.book AND v.superseded_at IS NULL
                    AND v.byte_count IS NOT NULL AND NOT b.is_revoked);
        UPDATE directory SET
            entry_count = (SELECT count(*) FROM dentry WHERE directory = directory.id)
                + (SELECT count(*) FROM directory AS c WHERE c.parent = directory.id),
            next_position = max(next_position,
                1 + ifnull((SELECT max(position) FROM dentry WHERE directory = directory.id), 0));
        """
    }

    /// Puts the books on the shelf whose entries are lost, and lets all who follow the history enumerate anew.
    private func showMissing(on catalog: borrowing Connection) throws(SQLiteError) {
        var shelf = try ShelfWriter(now: now, on: catalog)
        var books = try BookShower(arrangement: shelf.arrangement, on: catalog)
        var missing: [BookID] = []
        var find = try Statement(
            "SELECT id FROM book WHERE NOT is_revoked AND id NOT IN (SELECT book FROM dentry) ORDER BY id",
            on: catalog)
        try find.forEachRow([]) { (row) throws(SQLiteError) in missing.append(BookID(rawValue: row.integer(at: 0))) }
        for book in missing { try books.showIfDue(book, shelf: &shelf, on: catalog) }
        shelf.history.appendMany()
        try shelf.finish(on: catalog)
    }

    private static var totals: StaticString {
        """
        UPDATE property SET value = (SELECT count(DISTINCT book) FROM dentry) WHERE name = 'shelf_file_count';
        UPDATE property SET value = (SELECT ifnull(sum(byte_count), 0) FROM version
            WHERE id IN (SELECT version FROM dentry)) WHERE name = 'shelf_byte_count';
        """
    }
}
