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

        /// The file system has no room left.
        case full

        /// A row breaks a rule of the schema.
        case constraint

        /// Another process is migrating, or the schema isn't the one expected.
        case other
    }

    package var kind: Kind {
        switch code {
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
        case SQLITE_FULL: .full
        case SQLITE_CONSTRAINT: .constraint
        default: .other
        }
    }

    init(extendedCode: CInt, message: String, sql: String? = nil) {
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
    }

    /// Takes the code and the words of the last failed call on `database`.
    init(lastErrorOf database: OpaquePointer, sql: String? = nil) {
        unsafe self.init(
            extendedCode: sqlite3_extended_errcode(database),
            message: String(cString: sqlite3_errmsg(database)),
            sql: sql
        )
    }
}
