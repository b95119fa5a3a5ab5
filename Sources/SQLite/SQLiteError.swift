internal import CSQLite3

/// An error that SQLite reports.
///
/// SQLite: <https://www.sqlite.org/rescode.html>
package struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The extended result code, for example `SQLITE_IOERR_READ`.
    package let extendedCode: CInt

    /// SQLite's own words, for example `no such table: book`.
    package let message: String

    /// The statement that failed, without its arguments, since those may be private.
    package let sql: String?

    /// The database file of the connection that a ``Kind/corrupt`` error is of, links resolved; `nil` for other errors,
    /// and where another file has its name by now.
    package let damagedFile: String?

    /// The primary result code: the low eight bits of ``extendedCode``.
    package var code: CInt { extendedCode & 0xFF }

    package var description: String {
        let place = sql.map { " in “\($0)”" } ?? ""
        return "SQLite error \(extendedCode): \(message)\(place)"
    }

    /// What a program can do about the error.
    package enum Kind: Sendable {
        /// Another connection holds a lock; trying again later helps.
        case busy

        /// The file is damaged, or isn't a database.
        case corrupt

        /// Another file has the name of the database, or none; what is written now would be lost.
        case moved

        /// The file system has no room left.
        case full

        /// A row breaks a rule of the schema.
        case constraint

        /// Another process is migrating, or the schema isn't the one expected.
        case other
    }

    package var kind: Kind {
        if extendedCode == Self.movedCode { return .moved }
        return switch code {
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
        case SQLITE_FULL: .full
        case SQLITE_CONSTRAINT: .constraint
        default: .other
        }
    }

    /// `SQLITE_READONLY_DBMOVED`, which is an expression in C.
    static var movedCode: CInt { SQLITE_READONLY | (4 << 8) }

    init(extendedCode: CInt, message: String, sql: String? = nil, damagedFile: String? = nil) {
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
        self.damagedFile = damagedFile
    }

    /// A lock beside the database is held by others for too long.
    package static func busy(waitingFor path: String) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_BUSY, message: "\(path) is locked")
    }

    /// Takes the code and the words of the last failed call on `database`.
    init(lastErrorOf database: OpaquePointer, sql: String? = nil) {
        let code = unsafe sqlite3_extended_errcode(database)
        // Before any further call, which would change the words.
        let message = unsafe String(cString: sqlite3_errmsg(database))
        // A file that has been replaced says nothing of the one that has its name now.
        var isMoved: CInt = 0
        unsafe sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &isMoved)
        let isDamaged = (code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB) && isMoved == 0
        unsafe self.init(
            extendedCode: code,
            message: message,
            sql: sql,
            damagedFile: isDamaged ? sqlite3_db_filename(database, "main").map { unsafe String(cString: $0) } : nil
        )
    }
}
