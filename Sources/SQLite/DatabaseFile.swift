internal import CSQLite3
internal import Glibc

/// The file of a database and the files that SQLite keeps beside it, as the file system has them.
///
/// Nothing here opens a database that a connection of this process may have open: closing it would lose the locks of
/// this process on it.
package struct DatabaseFile: Sendable {
    package let path: String

    /// What SQLite may keep beside it.
    private static let suffixes = ["-wal", "-shm", "-journal"]

    package init(_ path: String) {
        self.path = path
    }

    /// How long the file is; `nil` if there is none.
    package var byteCount: Int64? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return Int64(status.st_size)
    }

    /// Removes the database, which no process has open, with all that is beside it; one that isn't there is no error.
    package func remove() {
        for name in [path] + Self.suffixes.map({ path + $0 }) { unsafe unlink(name) }
    }

    /// Takes the place of another database, whose name is at no time without a file.
    ///
    /// Who has the other one open goes on with it; nobody may open it meanwhile, or its journal would be taken for that
    /// of this one. This one is on the disk before it has the name.
    ///
    /// - Parameters:
    ///   - other: Has no more in its journal than in its file where that was possible.
    ///   - aside: The other one's name from now on.
    /// - Throws: ``SQLiteError``; the other one then has its own name still.
    package func replace(_ other: DatabaseFile, keptAs aside: DatabaseFile) throws(SQLiteError) {
        try Self.makeDurable(path, O_RDONLY)
        // A file system without links has a moment without a file of that name.
        let isLinked = unsafe link(other.path, aside.path) == 0
        if !isLinked, other.byteCount != nil, unsafe rename(other.path, aside.path) != 0 {
            throw Self.failure("rename", other.path)
        }
        for suffix in Self.suffixes where suffix != "-shm" { unsafe rename(other.path + suffix, aside.path + suffix) }
        unsafe unlink(other.path + "-shm")
        guard unsafe rename(path, other.path) == 0 else { throw Self.failure("rename", path) }
        let directory = other.path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(other.path[...$0]) } ?? "."
        try Self.makeDurable(directory, O_RDONLY | O_DIRECTORY)
    }

    /// Makes the directory that it is to stand in, for its owner alone; what can't be made shows when the database is.
    package func makeDirectory() {
        if let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) { unsafe mkdir(String(path[..<end]), 0o700) }
    }

    /// Waits until its bytes are on the disk.
    ///
    /// - Throws: ``SQLiteError``.
    package func makeDurable() throws(SQLiteError) { try Self.makeDurable(path, O_RDONLY) }

    private static func makeDurable(_ path: String, _ flags: CInt) throws(SQLiteError) {
        let descriptor = unsafe open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("fsync", path) }
    }

    private static func failure(_ call: String, _ path: String) -> SQLiteError {
        let number = errno
        let code = number == ENOSPC || number == EDQUOT ? SQLITE_FULL : SQLITE_IOERR
        return SQLiteError(
            extendedCode: code, message: unsafe "\(call) of \(path): \(String(cString: strerror(number)))")
    }
}
