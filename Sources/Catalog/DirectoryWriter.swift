internal import SQLite
internal import Shelf
internal import TextForms

/// Finds and makes the directories of the shelf in one transaction, and writes what changed of them at its end.
struct DirectoryWriter: ~Copyable {
    /// A directory by its place.
    private struct Child: Hashable {
        let parent: DirectoryID
        let folder: Placement.Folder
    }

    /// What the transaction has done to one directory.
    private struct Edit {
        var nextPosition: Int64
        var entryCount: Int64
        let parent: DirectoryID
        let name: String
    }

    /// How many directories are remembered; a catalog of more pays one query each.
    private static var maximumRemembered: Int { 16_384 }

    private var find: Statement
    private var load: Statement
    private var insert: Statement
    private var update: Statement
    private var delete: Statement
    private var findEmpty: Statement
    private var known: [Child: DirectoryID] = [:]

    /// Invariant: an edit is written before it is forgotten.
    private var edits: [DirectoryID: Edit] = [:]
    private let now: Int64

    /// - Parameters:
    ///   - now: The time of the transaction in nanoseconds since 1970.
    ///   - connection: With the write transaction open.
    /// - Throws: ``SQLiteError``.
    init(now: Int64, on connection: borrowing Connection) throws(SQLiteError) {
        self.now = now
        let find = try Statement("SELECT id FROM directory WHERE parent = ?1 AND facet = ?2", on: connection)
        let load = try Statement(
            "SELECT next_position, entry_count, parent, name FROM directory WHERE id = ?1", on: connection)
        let insert = try Statement(
            """
            INSERT INTO directory (parent, name, folded, facet, modified_at, changed_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?5) ON CONFLICT DO NOTHING
            """, on: connection)
        let update = try Statement(
            """
            UPDATE directory SET next_position = ?2, entry_count = ?3, modified_at = max(modified_at + 1, ?4),
                changed_at = max(changed_at + 1, ?4) WHERE id = ?1
            """, on: connection)
        let delete = try Statement("DELETE FROM directory WHERE id = ?1", on: connection)
        let findEmpty = try Statement(
            "SELECT id, parent, name FROM directory WHERE entry_count = 0 AND id <> 0 LIMIT 1000", on: connection)
        // A throw must find either nothing or everything initialised.
        self.find = find
        self.load = load
        self.insert = insert
        self.update = update
        self.delete = delete
        self.findEmpty = findEmpty
    }

    /// The directory at the end of a path, made if it isn't there, and those on the way.
    ///
    /// - Parameters:
    ///   - folders: From the root on, by the titles that the source wrote; titles that are equal in NFC and case-folded are one
    ///     directory.
    ///   - names: Told of what is made, and asked what is taken by books.
    ///   - history: Told where a directory is made.
    ///   - connection: With the write transaction open.
    /// - Returns: Its row.
    /// - Throws: ``SQLiteError``.
    mutating func directory(
        at folders: [Placement.Folder], names: inout NameFinder, history: inout ChangeHistory,
        on connection: borrowing Connection
    ) throws(SQLiteError) -> DirectoryID {
        var directory = DirectoryID.root
        for folder in folders {
            let child = Child(parent: directory, folder: folder)
            if let found = known[child] {
                directory = found
                continue
            }
            directory = try findOrMake(child, names: &names, history: &history, on: connection)
            if known.count >= Self.maximumRemembered { known.removeAll(keepingCapacity: true) }
            known[child] = directory
        }
        return directory
    }

    private mutating func findOrMake(
        _ child: Child, names: inout NameFinder, history: inout ChangeHistory, on connection: borrowing Connection
    ) throws(SQLiteError) -> DirectoryID {
        let title = child.folder.title.inNFC
        // A view is no category, whatever a category is called.
        let facet = (child.folder.isView ? "\u{1F}" : "") + title.foldedForComparison
        var found: DirectoryID?
        try find.forEachRow([.integer(child.parent.rawValue), .text(facet)]) { (row) throws(SQLiteError) in
            found = DirectoryID(rawValue: row.integer(at: 0))
        }
        if let found { return found }
        return try make(
            title: title, facet: facet, in: child.parent, names: &names, history: &history, on: connection)
    }

    private mutating func make(
        title: String, facet: String, in parent: DirectoryID, names: inout NameFinder,
        history: inout ChangeHistory, on connection: borrowing Connection
    ) throws(SQLiteError) -> DirectoryID {
        var ordinal: Int?
        while true {
            let name = FileName.directory(title: title, ordinal: ordinal)
            ordinal = (ordinal ?? 1) + 1
            if try names.isTaken(name, in: parent) { continue }
            try insert.run([
                .integer(parent.rawValue), .text(name), .text(name.foldedForComparison), .text(facet), .integer(now),
            ])
            guard connection.changedRowCount == 1 else { continue }
            let directory = DirectoryID(rawValue: connection.lastInsertedRow)
            names.noteIfNeeded(name.foldedForComparison, in: parent)
            try touch(parent)
            edits[parent]?.entryCount += 1
            edits[directory] = Edit(nextPosition: 1, entryCount: 0, parent: parent, name: name)
            try history.append(.directoryAdded(directory, parent: parent, name: name))
            return directory
        }
    }

    /// The position of the next entry of `directory`, which then counts one more entry.
    mutating func takePosition(in directory: DirectoryID) throws(SQLiteError) -> Int64 {
        try touch(directory)
        guard let index = edits.index(forKey: directory) else { return 0 }
        edits.values[index].nextPosition += 1
        edits.values[index].entryCount += 1
        return edits.values[index].nextPosition - 1
    }

    mutating func countRemoval(in directory: DirectoryID) throws(SQLiteError) {
        try touch(directory)
        edits[directory]?.entryCount -= 1
    }

    /// Marks that the entries of `directory` change, so that its times move.
    mutating func touch(_ directory: DirectoryID) throws(SQLiteError) {
        guard edits[directory] == nil else { return }
        if edits.count >= Self.maximumRemembered { try write() }
        var edit: Edit?
        try load.forEachRow([.integer(directory.rawValue)]) { (row) throws(SQLiteError) in
            edit = Edit(
                nextPosition: row.integer(at: 0), entryCount: row.integer(at: 1),
                parent: DirectoryID(rawValue: row.integer(at: 2)), name: row.text(at: 3))
        }
        edits[directory] = edit
    }

    /// Writes what is remembered and removes the directories that have become empty.
    mutating func finish(history: inout ChangeHistory) throws(SQLiteError) {
        try write()
        // Asked of the table: of very many directories, not all are remembered. Where one goes, that it stood in may be empty.
        while true {
            var empty: [(id: DirectoryID, parent: DirectoryID, name: String)] = []
            try findEmpty.forEachRow([]) { (row) throws(SQLiteError) in
                empty.append(
                    (
                        DirectoryID(rawValue: row.integer(at: 0)), DirectoryID(rawValue: row.integer(at: 1)),
                        row.text(at: 2)
                    ))
            }
            guard !empty.isEmpty else { return }
            for (id, parent, name) in empty {
                try countRemoval(in: parent)
                try delete.run([.integer(id.rawValue)])
                edits[id] = nil
                try history.append(.directoryRemoved(id, parent: parent, name: name))
            }
            try write()
        }
    }

    private mutating func write() throws(SQLiteError) {
        for (directory, edit) in edits {
            try update.run([
                .integer(directory.rawValue), .integer(edit.nextPosition), .integer(edit.entryCount), .integer(now),
            ])
        }
        edits.removeAll(keepingCapacity: true)
    }
}
