internal import CSQLite3
internal import Glibc

/// An open connection to one database file.
///
/// It has one owner, can't be copied, and closes when its owner goes out of scope. It is opened without SQLite's own
/// mutex, so two threads must not use it at once; to share it, keep it in a `Mutex`.
///
/// SQLite: <https://www.sqlite.org/c3ref/open.html>, <https://www.sqlite.org/threadsafe.html>
@safe package struct Connection: ~Copyable, @unchecked Sendable {
    // @unchecked: the handle may move between threads (SQLITE_OPEN_NOMUTEX), and exclusive ownership keeps two threads
    // from using it at once.

    /// Valid from `init` to `deinit`.
    let handle: OpaquePointer

    /// What a connection may do with the file.
    package enum Access: Sendable {
        /// The file must exist.
        case read

        /// The file must exist.
        case readWrite

        /// The file is made if it doesn't exist, for its owner alone.
        case create
    }

    /// Opens a database file.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - access: What the connection may do.
    ///   - busyTimeout: How long a statement waits for a lock that another connection holds before it fails with
    ///     ``SQLiteError/Kind/busy``. Rounded down to whole milliseconds.
    /// - Throws: ``SQLiteError`` if the file can't be opened. That it isn't a database shows at the first statement.
    package init(_ path: String, access: Access, busyTimeout: Duration = .seconds(5)) throws(SQLiteError) {
        let flags =
            switch access {
            case .read: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        // A name that begins so, and an empty one, are databases without a file.
        if access == .create, !path.isEmpty, !path.hasPrefix(":") { Self.makePrivately(path) }
        _ = Self.isConfigured
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let opened = unsafe opened else {
            throw SQLiteError(extendedCode: code, message: "out of memory")
        }
        guard code == SQLITE_OK else {
            // A connection that failed to open has to be closed all the same.
            defer { unsafe sqlite3_close_v2(opened) }
            throw unsafe SQLiteError(lastErrorOf: opened)
        }
        unsafe sqlite3_busy_timeout(opened, CInt(clamping: busyTimeout.wholeMilliseconds))
        unsafe self.handle = opened
    }

    /// Before the first connection of a process: nobody asks SQLite how much memory it has, and counting takes a lock at
    /// each allocation.
    private static let isConfigured = csqlite_count_no_memory() == SQLITE_OK

    /// Makes an empty file, 0600, which SQLite gives to the files beside it as well; leaves one that is there alone.
    ///
    /// One that is there mustn't even be opened: closing it would lose the locks of this process on it.
    private static func makePrivately(_ path: String) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        // Why it can't be made is what SQLite says next.
        if descriptor >= 0 { close(descriptor) }
    }

    deinit {
        // The v2 form waits for statements that outlive the connection, in whatever order they go.
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs every statement in `sql` and drops their rows.
    ///
    /// - Throws: ``SQLiteError`` for the first statement that fails; the ones before it have taken effect.
    package func execute(_ sql: StaticString) throws(SQLiteError) {
        try execute(text: "\(sql)")
    }

    private func execute(text: String) throws(SQLiteError) {
        guard unsafe sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else {
            throw unsafe SQLiteError(lastErrorOf: handle, sql: text)
        }
    }

    /// The number in the first column of the first row of `sql`; 0 if there is no row.
    ///
    /// - Throws: ``SQLiteError``.
    package func number(_ sql: StaticString, _ values: Value...) throws(SQLiteError) -> Int64 {
        var statement = try Statement(sql, on: self)
        var number: Int64 = 0
        try statement.forEachRow(values) { (row) throws(SQLiteError) in number = row.integer(at: 0) }
        return number
    }

    /// Runs one statement that is needed only once.
    ///
    /// - Throws: ``SQLiteError``.
    package func run(_ sql: StaticString, _ values: Value...) throws(SQLiteError) {
        var statement = try Statement(sql, on: self)
        try statement.run(values)
    }

    /// Sets `PRAGMA user_version` and `application_id`, which take no bound parameters.
    ///
    /// - Throws: ``SQLiteError``.
    package func setVersion(_ userVersion: Int32, applicationID: Int32) throws(SQLiteError) {
        try execute(text: "PRAGMA user_version = \(userVersion); PRAGMA application_id = \(applicationID)")
    }

    /// Sets how much memory the page cache may take, which takes no bound parameter.
    ///
    /// - Throws: ``SQLiteError``.
    package func setCache(byteCount: Int) throws(SQLiteError) {
        try execute(text: "PRAGMA cache_size = -\(max(1, byteCount >> 10))")
    }

    /// Runs `body` in a transaction that takes the write lock at once.
    ///
    /// - Throws: What `body` throws, or ``SQLiteError`` from BEGIN and COMMIT as `Failure`; the transaction is then
    ///   rolled back whole.
    package func write<Success, Failure: Error>(
        wrapping wrap: (SQLiteError) -> Failure, _ body: () throws(Failure) -> Success
    ) throws(Failure) -> Success {
        do throws(SQLiteError) { try execute("BEGIN IMMEDIATE") } catch { throw wrap(error) }
        do throws(Failure) {
            // Nobody replaces the file while somebody has the write lock, so it is enough to look now.
            if isMoved {
                throw wrap(
                    SQLiteError(
                        extendedCode: SQLiteError.movedCode, message: "the file of the database isn't there any more"))
            }
            let success = try body()
            do throws(SQLiteError) { try execute("COMMIT") } catch { throw wrap(error) }
            return success
        } catch {
            // COMMIT may have rolled back already; a second ROLLBACK then fails and changes nothing.
            if unsafe sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Whether the file that this connection reads no longer has its name: it was removed or replaced.
    ///
    /// SQLite: <https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>
    package var isMoved: Bool {
        var isMoved: CInt = 0
        let code = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &isMoved)
        return code == SQLITE_OK && isMoved != 0
    }

    /// The row id of the last row inserted on this connection.
    package var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// How many rows the last INSERT, UPDATE or DELETE changed.
    package var changedRowCount: Int { Int(unsafe sqlite3_changes64(handle)) }

    /// Copies the whole database over that of another connection, whatever stands there.
    ///
    /// SQLite: <https://www.sqlite.org/c3ref/backup_finish.html>
    ///
    /// - Throws: ``SQLiteError``; the target is then as it was.
    package func copy(over target: borrowing Connection) throws(SQLiteError) {
        guard let backup = unsafe sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw unsafe SQLiteError(lastErrorOf: target.handle)
        }
        unsafe sqlite3_backup_step(backup, -1)
        guard unsafe sqlite3_backup_finish(backup) == SQLITE_OK else {
            throw unsafe SQLiteError(lastErrorOf: target.handle)
        }
    }
}

extension Duration {
    /// This duration in milliseconds, rounded towards zero.
    fileprivate var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
