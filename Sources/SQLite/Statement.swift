internal import CSQLite3

/// A prepared statement, compiled once and run any number of times.
///
/// The SQL is a `StaticString`: text from outside the program can't become SQL, it can only be bound to a parameter.
///
/// SQLite: <https://www.sqlite.org/c3ref/stmt.html>
@safe package struct Statement: ~Copyable, @unchecked Sendable {
    // @unchecked: as for ``Connection``; a statement is used only by the owner of its connection.

    /// Valid from `init` to `deinit`.
    private let handle: OpaquePointer
    private let sql: StaticString

    /// Compiles `sql` for repeated use on `connection`.
    ///
    /// - Throws: ``SQLiteError`` if the SQL is wrong or names what isn't there.
    package init(_ sql: StaticString, on connection: borrowing Connection) throws(SQLiteError) {
        try self.init(text: "\(sql)", as: sql, on: connection)
    }

    /// Compiles `sql`, in which each `#N` stands for `number`, for repeated use on `connection`.
    ///
    /// For the databases of others that number their tables.
    ///
    /// - Throws: ``SQLiteError`` if the SQL is wrong or names what isn't there.
    package init(
        _ sql: StaticString, numbered number: UInt32, on connection: borrowing Connection
    ) throws(SQLiteError) {
        let parts = "\(sql)".split(separator: "#N", omittingEmptySubsequences: false)
        try self.init(text: parts.joined(separator: "\(number)"), as: sql, on: connection)
    }

    private init(text: String, as sql: StaticString, on connection: borrowing Connection) throws(SQLiteError) {
        let flags = CUnsignedInt(SQLITE_PREPARE_PERSISTENT)
        var prepared: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(connection.handle, text, -1, flags, &prepared, nil)
        guard code == SQLITE_OK, let prepared = unsafe prepared else {
            throw unsafe SQLiteError(lastErrorOf: connection.handle, sql: text)
        }
        unsafe self.handle = prepared
        self.sql = sql
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// Whether ``scan(_:_:)`` goes on to the next row.
    package enum Continuation: Sendable { case next, stop }

    /// Runs the statement and drops its rows.
    ///
    /// - Parameter values: The parameters `?1`, `?2`, … in order.
    /// - Throws: ``SQLiteError``.
    package mutating func run(_ values: [Value]) throws(SQLiteError) {
        try scan(values) { (_: borrowing Row) throws(SQLiteError) in .next }
    }

    /// Runs the statement and passes each row to `body`, in the order in which SQLite produces them.
    ///
    /// - Parameters:
    ///   - values: The parameters `?1`, `?2`, … in order.
    ///   - body: Called once a row. The row is borrowed: copy out what you need.
    /// - Throws: What `body` throws, or ``SQLiteError``.
    package mutating func forEachRow(
        _ values: [Value], _ body: (borrowing Row) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        try scan(values) { (row: borrowing Row) throws(SQLiteError) in
            try body(row)
            return .next
        }
    }

    /// Runs the statement and passes each row to `body` until that says stop.
    ///
    /// The statement is reset before this returns or throws, so it holds no lock afterwards.
    ///
    /// - Parameters:
    ///   - values: The parameters `?1`, `?2`, … in order.
    ///   - body: Called once a row. The row is borrowed: copy out what you need.
    /// - Throws: What `body` throws, or ``SQLiteError``.
    package mutating func scan(
        _ values: [Value], _ body: (borrowing Row) throws(SQLiteError) -> Continuation
    ) throws(SQLiteError) {
        defer {
            unsafe sqlite3_reset(handle)
            unsafe sqlite3_clear_bindings(handle)
        }
        var index: CInt = 1
        for value in values {
            try bind(value, at: index)
            index += 1
        }
        while true {
            switch unsafe sqlite3_step(handle) {
            case SQLITE_ROW: if try body(unsafe Row(handle)) == .stop { return }
            case SQLITE_DONE: return
            default: throw lastError()
            }
        }
    }

    private func bind(_ value: Value, at index: CInt) throws(SQLiteError) {
        let code: CInt
        switch value {
        case .null: code = unsafe sqlite3_bind_null(handle, index)
        case .integer(let integer): code = unsafe sqlite3_bind_int64(handle, index, integer)
        case .real(let real): code = unsafe sqlite3_bind_double(handle, index, real)
        case .text(var text):
            code = text.withUTF8 { bytes in
                // An empty buffer has no address, which SQLite would take for NULL.
                unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                    guard let address = characters.baseAddress else {
                        return unsafe csqlite_bind_text(handle, index, "", 0)
                    }
                    return unsafe csqlite_bind_text(handle, index, address, CInt(characters.count))
                }
            }
        case .blob(let blob):
            code = unsafe blob.withUnsafeBytes { bytes in
                unsafe csqlite_bind_blob(handle, index, bytes.baseAddress, CInt(bytes.count))
            }
        }
        guard code == SQLITE_OK else { throw lastError() }
    }

    private func lastError() -> SQLiteError {
        unsafe SQLiteError(lastErrorOf: sqlite3_db_handle(handle), sql: "\(sql)")
    }
}
