internal import SQLite
internal import Shelf

/// One read connection with its prepared statements: what the tree, the cache and the followers ask.
struct TreeReader: ~Copyable {
    private let connection: Connection
    private var lookupBook: Statement
    private var lookupDirectory: Statement
    private var selectDirectory: Statement
    private var selectVersion: Statement
    private var listBooks: Statement
    private var listBooksPlain: Statement
    private var listDirectories: Statement
    private var selectPath: Statement
    private var selectDirectories: Statement
    private var selectStatistics: Statement
    private var selectAnchor: Statement
    private var selectCompacted: Statement
    private var selectChanges: Statement
    private var selectSuperseded: Statement
    private var selectPinned: Statement
    private var selectIsPinned: Statement
    private var contents: ContentQuery

    init(path: String) throws(CatalogError) {
        let connection = try CatalogFile.openForReading(path, pageCacheByteCount: 512 << 10)
        do throws(SQLiteError) { self = try TreeReader(connection) } catch { throw CatalogError(error) }
    }

    func identity() throws(SQLiteError) -> String? { try CatalogIdentity.read(on: connection) }

    func sources() throws(SQLiteError) -> [Source] { try SourceTable.all(on: connection) }

    private init(_ connection: consuming Connection) throws(SQLiteError) {
        let lookupBook = try Statement(
            """
            SELECT d.name, v.id, v.book, v.byte_count, ifnull(v.modified_at, v.first_seen_at), v.changed_at
            FROM dentry AS d JOIN version AS v ON v.id = d.version WHERE d.directory = ?1 AND d.folded = ?2
            """, on: connection)
        let lookupDirectory = try Statement(
            """
            SELECT name, id, parent, modified_at, changed_at,
                (SELECT count(*) FROM directory AS c WHERE c.parent = directory.id)
            FROM directory WHERE parent = ?1 AND folded = ?2
            """, on: connection)
        let selectDirectory = try Statement(
            """
            SELECT max(parent, 0), modified_at, changed_at, (SELECT count(*) FROM directory WHERE parent = ?1)
            FROM directory WHERE id = ?1
            """, on: connection)
        let selectVersion = try Statement(
            """
            SELECT id, book, byte_count, ifnull(modified_at, first_seen_at), changed_at FROM version
            WHERE id = ?1 AND byte_count IS NOT NULL
            """, on: connection)
        let listBooks = try Statement(
            """
            SELECT d.position, d.name, v.id, v.book, v.byte_count, ifnull(v.modified_at, v.first_seen_at), v.changed_at
            FROM dentry AS d JOIN version AS v ON v.id = d.version
            WHERE d.directory = ?1 AND d.position > ?2 ORDER BY d.position
            """, on: connection)
        let listBooksPlain = try Statement(
            "SELECT position, name, version FROM dentry WHERE directory = ?1 AND position > ?2 ORDER BY position",
            on: connection)
        let listDirectories = try Statement(
            """
            SELECT id, name, parent, modified_at, changed_at,
                (SELECT count(*) FROM directory AS c WHERE c.parent = directory.id)
            FROM directory INDEXED BY directory_child WHERE parent = ?1 AND id > ?2 ORDER BY id
            """, on: connection)
        let selectPath = try Statement(
            """
            WITH RECURSIVE up(parent, path) AS (
                SELECT parent, name FROM directory WHERE id = ?1
                UNION ALL SELECT d.parent, d.name || '/' || up.path FROM up JOIN directory AS d ON d.id = up.parent
                WHERE up.parent > 0
            ) SELECT path FROM up WHERE parent <= 0
            """, on: connection)
        let selectDirectories = try Statement("SELECT id, parent, name FROM directory WHERE id > 0", on: connection)
        let selectStatistics = try Statement(
            """
            SELECT (SELECT value FROM property WHERE name = 'shelf_byte_count'),
                (SELECT value FROM property WHERE name = 'shelf_file_count')
            """, on: connection)
        let selectAnchor = try Statement(
            "SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'change'), 0)", on: connection)
        let selectCompacted = try Statement(
            "SELECT value FROM property WHERE name = 'compacted_through'", on: connection)
        let selectChanges = try Statement(
            """
            SELECT sequence, what, directory, name, target, former FROM change
            WHERE sequence > ?1 ORDER BY sequence LIMIT ?2
            """, on: connection)
        let selectSuperseded = try Statement(
            "SELECT id FROM version WHERE superseded_at IS NOT NULL LIMIT ?1", on: connection)
        let selectPinned = try Statement(
            """
            SELECT v.id FROM personal AS p CROSS JOIN book AS b ON b.id = p.book
                CROSS JOIN version AS v ON v.book = b.id AND v.superseded_at IS NULL
            WHERE p.is_pinned AND NOT b.is_revoked AND EXISTS (SELECT 1 FROM dentry AS e WHERE e.book = b.id)
            ORDER BY v.id
            """, on: connection)
        let selectIsPinned = try Statement(
            """
            SELECT 1 FROM version AS v CROSS JOIN book AS b ON b.id = v.book CROSS JOIN personal AS p ON p.book = b.id
            WHERE v.id = ?1 AND v.superseded_at IS NULL AND p.is_pinned AND NOT b.is_revoked
            """, on: connection)
        let contents = try ContentQuery(on: connection)
        // A throw must find either nothing or everything initialised.
        self.connection = connection
        self.lookupBook = lookupBook
        self.lookupDirectory = lookupDirectory
        self.selectDirectory = selectDirectory
        self.selectVersion = selectVersion
        self.listBooks = listBooks
        self.listBooksPlain = listBooksPlain
        self.listDirectories = listDirectories
        self.selectPath = selectPath
        self.selectDirectories = selectDirectories
        self.selectStatistics = selectStatistics
        self.selectAnchor = selectAnchor
        self.selectCompacted = selectCompacted
        self.selectChanges = selectChanges
        self.selectSuperseded = selectSuperseded
        self.selectPinned = selectPinned
        self.selectIsPinned = selectIsPinned
        self.contents = contents
    }

    // MARK: - Names

    mutating func lookup(
        _ name: String, folded: String, in directory: DirectoryID
    ) throws(SQLiteError) -> Node? {
        // The root has hardly anything but directories, and others hardly any.
        if directory == .root {
            if let found = try lookupDirectory(name, folded: folded, in: directory) { return found }
            return try lookupBook(name, folded: folded, in: directory)
        }
        if let found = try lookupBook(name, folded: folded, in: directory) { return found }
        return try lookupDirectory(name, folded: folded, in: directory)
    }

    private mutating func lookupDirectory(
        _ name: String, folded: String, in directory: DirectoryID
    ) throws(SQLiteError) -> Node? {
        var node: Node?
        try lookupDirectory.forEachRow([.integer(directory.rawValue), .text(folded)]) { (row) throws(SQLiteError) in
            guard row.isText(name, at: 0) else { return }
            node = .directory(
                DirectoryAttributes(
                    id: DirectoryID(rawValue: row.integer(at: 1)), parent: directory, modifiedAt: row.integer(at: 3),
                    changedAt: row.integer(at: 4), directoryCount: Int(row.integer(at: 5))))
        }
        return node
    }

    private mutating func lookupBook(
        _ name: String, folded: String, in directory: DirectoryID
    ) throws(SQLiteError) -> Node? {
        var node: Node?
        try lookupBook.forEachRow([.integer(directory.rawValue), .text(folded)]) { (row) throws(SQLiteError) in
            guard row.isText(name, at: 0) else { return }
            node = .book(VersionAttributes(row, from: 1))
        }
        return node
    }

    /// From so large a position on, the directories of a directory are listed, behind its books.
    ///
    /// Two of them fit into 31 bits: programs of 32 bits take no larger cookie.
    private static var firstDirectory: Int64 { 1 << 30 }

    mutating func list(
        _ directory: DirectoryID, after position: Int64, includesAttributes: Bool,
        _ body: (Int64, Span<UInt8>, ListedNode) -> Bool
    ) throws(SQLiteError) {
        if position < Self.firstDirectory {
            let isDone = try listBooks(directory, after: position, includesAttributes: includesAttributes, body)
            if !isDone { return }
        }
        let last = max(0, position - Self.firstDirectory)
        try listDirectories.scan([.integer(directory.rawValue), .integer(last)]) { (row) throws(SQLiteError) in
            let id = DirectoryID(rawValue: row.integer(at: 0))
            let attributes = DirectoryAttributes(
                id: id, parent: directory, modifiedAt: row.integer(at: 3), changedAt: row.integer(at: 4),
                directoryCount: Int(row.integer(at: 5)))
            let node: ListedNode = includesAttributes ? .directoryWithAttributes(attributes) : .directory(id)
            return row.withText(at: 1) { body(Self.firstDirectory + id.rawValue, $0, node) } ? .next : .stop
        }
    }

    /// - Returns: Whether it came to the end.
    private mutating func listBooks(
        _ directory: DirectoryID, after position: Int64, includesAttributes: Bool,
        _ body: (Int64, Span<UInt8>, ListedNode) -> Bool
    ) throws(SQLiteError) -> Bool {
        let values: [Value] = [.integer(directory.rawValue), .integer(position)]
        var isDone = true
        if includesAttributes {
            try listBooks.scan(values) { (row) throws(SQLiteError) in
                let node = ListedNode.bookWithAttributes(VersionAttributes(row, from: 2))
                isDone = row.withText(at: 1) { body(row.integer(at: 0), $0, node) }
                return isDone ? .next : .stop
            }
        } else {
            try listBooksPlain.scan(values) { (row) throws(SQLiteError) in
                let node = ListedNode.book(VersionID(rawValue: row.integer(at: 2)))
                isDone = row.withText(at: 1) { body(row.integer(at: 0), $0, node) }
                return isDone ? .next : .stop
            }
        }
        return isDone
    }

    /// Where a directory stands, relative to the mount point; `nil` if it is gone.
    mutating func path(of directory: DirectoryID) throws(SQLiteError) -> String? {
        var path: String?
        try selectPath.forEachRow([.integer(directory.rawValue)]) { (row) throws(SQLiteError) in path = row.text(at: 0)
        }
        return path
    }

    mutating func forEachDirectory(
        _ body: (DirectoryID, DirectoryID, String) -> Void
    ) throws(SQLiteError) {
        try selectDirectories.forEachRow([]) { (row) throws(SQLiteError) in
            body(
                DirectoryID(rawValue: row.integer(at: 0)), DirectoryID(rawValue: row.integer(at: 1)),
                row.text(at: 2))
        }
    }

    // MARK: - Rows

    mutating func directory(_ id: DirectoryID) throws(SQLiteError) -> DirectoryAttributes? {
        var found: DirectoryAttributes?
        try selectDirectory.forEachRow([.integer(id.rawValue)]) { (row) throws(SQLiteError) in
            found = DirectoryAttributes(
                id: id, parent: DirectoryID(rawValue: row.integer(at: 0)), modifiedAt: row.integer(at: 1),
                changedAt: row.integer(at: 2), directoryCount: Int(row.integer(at: 3)))
        }
        return found
    }

    mutating func version(_ id: VersionID) throws(SQLiteError) -> VersionAttributes? {
        var found: VersionAttributes?
        try selectVersion.forEachRow([.integer(id.rawValue)]) { (row) throws(SQLiteError) in
            found = VersionAttributes(row, from: 0)
        }
        return found
    }

    mutating func content(_ id: VersionID) throws(SQLiteError) -> ContentVersion? {
        try contents.version(id)
    }

    mutating func book(of version: VersionID) throws(SQLiteError) -> CatalogBook? {
        // Rare: extended attributes are asked for by hand, or by an indexer. So it isn't kept prepared.
        var query = try BookQuery(on: connection)
        return try query.book(of: version)
    }

    mutating func statistics() throws(SQLiteError) -> (byteCount: Int64, fileCount: Int64) {
        var result: (byteCount: Int64, fileCount: Int64) = (0, 0)
        try selectStatistics.forEachRow([]) { (row) throws(SQLiteError) in
            result = (row.integer(at: 0), row.integer(at: 1))
        }
        return result
    }

    mutating func isPinned(_ version: VersionID) throws(SQLiteError) -> Bool {
        var isPinned = false
        try selectIsPinned.forEachRow([.integer(version.rawValue)]) { (_) throws(SQLiteError) in isPinned = true }
        return isPinned
    }

    mutating func pinned() throws(SQLiteError) -> [VersionID] {
        var versions: [VersionID] = []
        try selectPinned.forEachRow([]) { (row) throws(SQLiteError) in
            versions.append(VersionID(rawValue: row.integer(at: 0)))
        }
        return versions
    }

    mutating func superseded(limit: Int) throws(SQLiteError) -> [VersionID] {
        var found: [VersionID] = []
        try selectSuperseded.forEachRow([.integer(Int64(limit))]) { (row) throws(SQLiteError) in
            found.append(VersionID(rawValue: row.integer(at: 0)))
        }
        return found
    }

    // MARK: - History

    mutating func anchor() throws(SQLiteError) -> SyncAnchor {
        var anchor = SyncAnchor(rawValue: 0)
        try selectAnchor.forEachRow([]) { (row) throws(SQLiteError) in
            anchor = SyncAnchor(rawValue: row.integer(at: 0))
        }
        return anchor
    }

    mutating func changes(after anchor: SyncAnchor, limit: Int) throws(SQLiteError) -> ChangeBatch {
        // Both questions must see one state: a compaction between them would hide changes.
        try connection.execute("BEGIN")
        defer { try? connection.execute("COMMIT") }
        var compacted = SyncAnchor(rawValue: 0)
        try selectCompacted.forEachRow([]) { (row) throws(SQLiteError) in
            compacted = SyncAnchor(rawValue: row.integer(at: 0))
        }
        let now = try self.anchor()
        // An anchor from the future is one of another database, from before a rebuild.
        guard anchor >= compacted, anchor <= now else { return .expired(now: now) }
        var changes: [Change] = []
        var last = anchor
        try selectChanges.forEachRow([.integer(anchor.rawValue), .integer(Int64(limit))]) { (row) throws(SQLiteError) in
            last = SyncAnchor(rawValue: row.integer(at: 0))
            if let change = Change(row, from: 1) { changes.append(change) }
        }
        return .changes(changes, through: last)
    }
}

extension VersionAttributes {
    /// Reads the columns id, book, byte count, modified and changed.
    init(_ row: borrowing Row, from column: CInt) {
        self.init(
            id: VersionID(rawValue: row.integer(at: column)), book: BookID(rawValue: row.integer(at: column + 1)),
            byteCount: row.integer(at: column + 2), modifiedAt: row.integer(at: column + 3),
            changedAt: row.integer(at: column + 4))
    }
}
