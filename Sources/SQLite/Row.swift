internal import CSQLite3

/// The current row of a running statement; it can't leave the closure that borrows it.
///
/// SQLite: <https://www.sqlite.org/c3ref/column_blob.html>
@safe package struct Row: ~Copyable {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    /// Whether `column`, counted from zero, is NULL.
    package func isNull(at column: CInt) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// Whether `column`, counted from zero, is text.
    package func isText(at column: CInt) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_TEXT
    }

    /// The integer in `column`, counted from zero; 0 if it is NULL.
    package func integer(at column: CInt) -> Int64 {
        unsafe sqlite3_column_int64(handle, column)
    }

    /// The integer in `column`, counted from zero; `nil` if it is NULL.
    package func integerOrNull(at column: CInt) -> Int64? {
        isNull(at: column) ? nil : integer(at: column)
    }

    /// The real in `column`, counted from zero; `nil` if it is NULL.
    package func realOrNull(at column: CInt) -> Double? {
        isNull(at: column) ? nil : unsafe sqlite3_column_double(handle, column)
    }

    /// Whether the integer in `column`, counted from zero, isn't 0.
    package func bool(at column: CInt) -> Bool {
        integer(at: column) != 0
    }

    /// The text in `column`, counted from zero; empty if it is NULL.
    package func text(at column: CInt) -> String {
        textOrNull(at: column) ?? ""
    }

    /// The text in `column`, counted from zero; `nil` if it is NULL.
    package func textOrNull(at column: CInt) -> String? {
        guard let start = unsafe sqlite3_column_text(handle, column) else { return nil }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The bytes of the text or blob in `column`, counted from zero; empty if it is NULL.
    package func bytes(at column: CInt) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// Lends the bytes of the text in `column`, counted from zero, without copying them; empty if it is NULL.
    package func withText<Result>(at column: CInt, _ body: (Span<UInt8>) -> Result) -> Result {
        let start = unsafe sqlite3_column_text(handle, column)
        let count = unsafe start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))
        return body(unsafe UnsafeBufferPointer(start: start, count: count).span)
    }

    /// Whether the text in `column`, counted from zero, is `text` byte for byte.
    ///
    /// Two strings of Swift are equal when they are canonically equivalent, which names of files must not be.
    package func isText(_ text: String, at column: CInt) -> Bool {
        withText(at: column) { bytes in
            let wanted = text.utf8
            guard wanted.count == bytes.count else { return false }
            var index = 0
            for byte in wanted {
                guard bytes[index] == byte else { return false }
                index += 1
            }
            return true
        }
    }
}
