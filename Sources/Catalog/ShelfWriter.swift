internal import SQLite
internal import Shelf
internal import TextForms

/// Puts books on the shelf and takes them off it: the names in their directories, and what the shelf holds in total.
///
/// Lives for one transaction.
struct ShelfWriter: ~Copyable {
    var history: ChangeHistory

    /// How the shelf is arranged.
    let arrangement: Arrangement
    private var directories: DirectoryWriter
    private var names: NameFinder
    private var insert: Statement
    private var load: Statement
    private var entries: Statement
    private var change: Statement
    private var delete: Statement
    private var byteCountChange: Int64 = 0
    private var fileCountChange: Int64 = 0

    /// An entry that a book has now.
    private struct Entry {
        let directory: DirectoryID
        let position: Int64
        let name: String
        let version: VersionID
    }

    /// - Parameters:
    ///   - now: The time of the transaction in nanoseconds since 1970.
    ///   - connection: With the write transaction open.
    /// - Throws: ``SQLiteError``.
    init(now: Int64, on connection: borrowing Connection) throws(SQLiteError) {
        let history = try ChangeHistory(on: connection)
        let arrangement = try ArrangementProperty.read(on: connection)
        let directories = try DirectoryWriter(now: now, on: connection)
        let names = try NameFinder(on: connection)
        let insert = try Statement(
            "INSERT INTO dentry VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (directory, folded) DO NOTHING",
            on: connection)
        let load = try Statement("INSERT INTO dentry VALUES (?1, ?2, ?3, ?4, ?5, ?6)", on: connection)
        let entries = try Statement(
            "SELECT directory, position, name, version FROM dentry WHERE book = ?1 ORDER BY directory", on: connection)
        let change = try Statement(
            "UPDATE dentry SET name = ?3, folded = ?4, version = ?5 WHERE directory = ?1 AND position = ?2",
            on: connection)
        let delete = try Statement("DELETE FROM dentry WHERE directory = ?1 AND position = ?2", on: connection)
        // A throw must find either nothing or everything initialised.
        self.history = history
        self.arrangement = arrangement
        self.directories = directories
        self.names = names
        self.insert = insert
        self.load = load
        self.entries = entries
        self.change = change
        self.delete = delete
    }

    /// Puts a book on the shelf that isn't there.
    mutating func show(_ book: ShelvedBook, on connection: borrowing Connection) throws(SQLiteError) {
        var taken: [DirectoryID] = []
        for placement in book.placements {
            let directory = try directory(of: placement, on: connection)
            if book.placements.count > 1 {
                // Two categories may be one directory.
                if taken.contains(directory) { continue }
                taken.append(directory)
            }
            try add(book, at: placement, in: directory, on: connection)
        }
        byteCountChange += book.byteCount
        fileCountChange += 1
    }

    /// Makes the directories of the views, so that no category takes their names; those that stay empty go at the end.
    mutating func makeViews(on connection: borrowing Connection) throws(SQLiteError) {
        for view in arrangement.views {
            let folder = Placement.Folder(view.title, isView: true)
            _ = try directories.directory(at: [folder], names: &names, history: &history, on: connection)
        }
    }

    /// Fills the shelf, on which nothing stands yet, with the books that `body` shows; `body` does nothing else with it.
    mutating func fill(
        on connection: borrowing Connection, _ body: (inout ShelfWriter) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        try connection.execute("DROP INDEX dentry_name; DROP INDEX dentry_book")
        names.beginNoting()
        try body(&self)
        names.endNoting()
        try connection.execute(Schema.entryIndexes)
    }

    /// Takes a book off the shelf.
    ///
    /// - Parameters:
    ///   - book: Its row.
    ///   - byteCount: What it had counted with.
    /// - Returns: Whether it was there.
    /// - Throws: ``SQLiteError``.
    @discardableResult
    mutating func hide(_ book: BookID, byteCount: Int64) throws(SQLiteError) -> Bool {
        let entries = try entries(of: book)
        guard !entries.isEmpty else { return false }
        for entry in entries { try remove(entry) }
        byteCountChange -= byteCount
        fileCountChange -= 1
        return true
    }

    /// Brings the entries of a book that is there to what it is now.
    ///
    /// - Parameters:
    ///   - book: As it is now.
    ///   - isRenamed: Whether the title or the kind of file changed, so that its names are made anew.
    ///   - formerByteCount: What it had counted with.
    ///   - connection: With the write transaction open.
    /// - Throws: ``SQLiteError``.
    mutating func update(
        _ book: ShelvedBook, isRenamed: Bool, formerByteCount: Int64, on connection: borrowing Connection
    ) throws(SQLiteError) {
        var former = try entries(of: book.id)
        for placement in book.placements {
            let directory = try directory(of: placement, on: connection)
            if let index = former.firstIndex(where: { $0.directory == directory }) {
                let entry = former.remove(at: index)
                try update(entry, to: book, at: placement, isRenamed: isRenamed)
            } else if try !hasEntry(of: book.id, in: directory) {
                try add(book, at: placement, in: directory, on: connection)
            }
        }
        for entry in former { try remove(entry) }
        byteCountChange += book.byteCount - formerByteCount
    }

    /// Counts a change of size of a version that is on the shelf.
    mutating func countResize(from formerByteCount: Int64, to byteCount: Int64) {
        byteCountChange += byteCount - formerByteCount
    }

    /// Whether a book is on the shelf now.
    mutating func isShown(_ book: BookID) throws(SQLiteError) -> Bool {
        try !entries(of: book).isEmpty
    }

    /// Writes the totals, the times of directories and the end of the history.
    mutating func finish(on connection: borrowing Connection) throws(SQLiteError) {
        try directories.finish(history: &history)
        try history.finish(on: connection)
        guard byteCountChange != 0 || fileCountChange != 0 else { return }
        try connection.run(
            "UPDATE property SET value = value + ?1 WHERE name = 'shelf_byte_count'", .integer(byteCountChange))
        try connection.run(
            "UPDATE property SET value = value + ?1 WHERE name = 'shelf_file_count'", .integer(fileCountChange))
    }

    // MARK: - Entries

    private mutating func entries(of book: BookID) throws(SQLiteError) -> [Entry] {
        var found: [Entry] = []
        try entries.forEachRow([.integer(book.rawValue)]) { (row) throws(SQLiteError) in
            found.append(
                Entry(
                    directory: DirectoryID(rawValue: row.integer(at: 0)), position: row.integer(at: 1),
                    name: row.text(at: 2), version: VersionID(rawValue: row.integer(at: 3))))
        }
        return found
    }

    private mutating func hasEntry(of book: BookID, in directory: DirectoryID) throws(SQLiteError) -> Bool {
        try entries(of: book).contains { $0.directory == directory }
    }

    private mutating func directory(
        of placement: Placement, on connection: borrowing Connection
    ) throws(SQLiteError) -> DirectoryID {
        try directories.directory(at: placement.folders, names: &names, history: &history, on: connection)
    }

    private mutating func add(
        _ book: ShelvedBook, at placement: Placement, in directory: DirectoryID, on connection: borrowing Connection
    ) throws(SQLiteError) {
        let position = try directories.takePosition(in: directory)
        var (name, folded) = book.bestName(at: placement)
        // Only there may directories stand beside books.
        var isFree = arrangement.isByCategoryAlone
        if !isFree { isFree = try !names.isTaken(name, in: directory) }
        if isFree { isFree = try insert(name, folded, at: position, of: book, in: directory, on: connection) }
        if !isFree {
            name = try names.freeName(of: book, at: placement, in: directory)
            folded = name.foldedForComparison
            _ = try insert(name, folded, at: position, of: book, in: directory, on: connection)
        }
        try history.append(.entryAdded(directory, name: name, book.version))
    }

    /// - Returns: Whether the name was free.
    private mutating func insert(
        _ name: String, _ folded: String, at position: Int64, of book: ShelvedBook, in directory: DirectoryID,
        on connection: borrowing Connection
    ) throws(SQLiteError) -> Bool {
        let values: [Value] = [
            .integer(directory.rawValue), .integer(position), .text(name), .text(folded),
            .integer(book.id.rawValue), .integer(book.version.rawValue),
        ]
        if names.notesNames {
            guard names.note(folded, in: directory) else { return false }
            try load.run(values)
            return true
        }
        try insert.run(values)
        return connection.changedRowCount == 1
    }

    private mutating func update(
        _ entry: Entry, to book: ShelvedBook, at placement: Placement, isRenamed: Bool
    ) throws(SQLiteError) {
        var name = entry.name
        if isRenamed || !book.mayBeNamed(name, at: placement) {
            let best = book.bestName(at: placement)
            let isOwn = best.folded == entry.name.foldedForComparison
            let isTaken = isOwn ? false : try names.isTaken(best.name, in: entry.directory)
            name = isTaken ? try names.freeName(of: book, at: placement, in: entry.directory) : best.name
        }
        guard name != entry.name || entry.version != book.version else { return }
        try change.run([
            .integer(entry.directory.rawValue), .integer(entry.position), .text(name),
            .text(name.foldedForComparison), .integer(book.version.rawValue),
        ])
        try directories.touch(entry.directory)
        if name == entry.name {
            try history.append(
                .entryReplaced(entry.directory, name: name, book.version, former: entry.version))
        } else {
            try history.append(.entryRemoved(entry.directory, name: entry.name, entry.version))
            try history.append(.entryAdded(entry.directory, name: name, book.version))
        }
    }

    private mutating func remove(_ entry: Entry) throws(SQLiteError) {
        try delete.run([.integer(entry.directory.rawValue), .integer(entry.position)])
        try directories.countRemoval(in: entry.directory)
        try history.append(.entryRemoved(entry.directory, name: entry.name, entry.version))
    }
}
