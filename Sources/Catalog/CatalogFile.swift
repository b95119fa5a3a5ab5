internal import FileLock
internal import SQLite

/// Opens the database of a profile.
enum CatalogFile {
    /// How long an opening waits for another process that is just putting a rebuilt catalog in the place of a damaged one.
    private static var patience: Duration { .seconds(30) }

    /// The file whose lock openings share, and whoever replaces the catalog has alone.
    static func openingLock(of path: String) -> String { path + ".lock" }

    /// Opens the catalog for writing; makes it, or brings it to the newest format, where need be.
    ///
    /// - Throws: ``CatalogError``; ``CatalogError/damaged(reason:)`` for one that is marked as well.
    static func openForWriting(_ path: String) throws(CatalogError) -> Connection {
        let mark = DamageMark(besideCatalogAt: path)
        if DatabaseFile(path).byteCount == 0, HighWaterMark(besideCatalogAt: path).isThere {
            mark.set(reason: "the file is empty")
        }
        if let reason = mark.reason { throw .damaged(reason: reason) }
        let opening = try? FileLock(openingLock(of: path), .shared, waitingAtMost: patience)
        defer { opening?.holdUntilHere() }
        return try openWithoutLock(path)
    }

    /// Opens the catalog for writing while nobody can replace it.
    static func openWithoutLock(_ path: String) throws(CatalogError) -> Connection {
        let connection = try translating { () throws(SQLiteError) in
            try Connection(path, access: .create, busyTimeout: .seconds(30))
        }
        // Before anything is set: a newer catalog isn't touched.
        let found = try Migrator(path: path).refuseNewer(connection)
        try translating { () throws(SQLiteError) in
            try connection.execute(
                """
                PRAGMA journal_mode = WAL;
                PRAGMA synchronous = NORMAL;
                PRAGMA foreign_keys = ON;
                PRAGMA journal_size_limit = 67108864;
                PRAGMA cache_size = -24576;
                """)
        }
        try Migrator(path: path).run(on: connection)
        if found == 0 {
            // One that was removed has given numbers by which the cache knows its files.
            try translating { () throws(SQLiteError) in
                try HighWaterMark(besideCatalogAt: path).apply(to: connection)
            }
        }
        try translating { () throws(SQLiteError) in try CatalogIdentity.ensure(on: connection) }
        return connection
    }

    /// Opens the catalog for reading, also one that is marked as damaged: what can be read of it is served meanwhile.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - pageCacheByteCount: How much memory its page cache may take; the pages are in the kernel's cache as well.
    /// - Returns: A connection that can't write.
    /// - Throws: ``CatalogError/newer(found:supported:)`` or another ``CatalogError``.
    static func openForReading(_ path: String, pageCacheByteCount: Int) throws(CatalogError) -> Connection {
        let opening = try? FileLock(openingLock(of: path), .shared, waitingAtMost: patience)
        defer { opening?.holdUntilHere() }
        let connection = try translating { () throws(SQLiteError) in
            let connection = try Connection(path, access: .read)
            if pageCacheByteCount < 1 << 20 {
                try connection.execute("PRAGMA cache_size = -512")
            } else {
                try connection.execute("PRAGMA cache_size = -8192")
            }
            return connection
        }
        let found = Int(try translating { () throws(SQLiteError) in try connection.number("PRAGMA user_version") })
        let supported = Migration.all.last?.version ?? 0
        guard found == supported else { throw .newer(found: found, supported: supported) }
        return connection
    }
}
