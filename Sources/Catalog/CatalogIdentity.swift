internal import SQLite

/// What tells one catalog from every other: made at random when the database is made, kept as long as its numbers are.
///
/// Whatever is kept under numbers of a catalog belongs to one of this identity and to no other: another catalog gives the same
/// numbers to other books.
enum CatalogIdentity {
    /// Makes one where there is none.
    static func ensure(on catalog: borrowing Connection) throws(SQLiteError) {
        guard try read(on: catalog) == nil else { return }
        // Two processes may be here at once: the first one's stands.
        try catalog.run("INSERT OR IGNORE INTO property VALUES ('identity', lower(hex(randomblob(16))))")
    }

    /// - Returns: 32 hexadecimal digits; `nil` for a catalog that nobody has opened for writing since there are identities.
    static func read(on catalog: borrowing Connection) throws(SQLiteError) -> String? {
        var identity: String?
        var select = try Statement("SELECT value FROM property WHERE name = 'identity'", on: catalog)
        try select.forEachRow([]) { (row) throws(SQLiteError) in identity = row.textOrNull(at: 0) }
        return identity
    }

    /// Takes over the identity of a catalog that was attached as `old`, for one that goes on with its numbers.
    ///
    /// Nothing changes where the old one can't be read: what was kept for it is given up then.
    static func adopt(fromOldInto catalog: borrowing Connection) {
        try? catalog.run(
            """
            INSERT OR REPLACE INTO main.property
            SELECT name, value FROM old.property WHERE name = 'identity' AND length(value) = 32
            """)
    }
}

extension CatalogWriter {
    /// What tells this catalog from every other.
    ///
    /// - Throws: ``CatalogError``.
    package func identity() throws(CatalogError) -> String? {
        try translating { () throws(SQLiteError) in try CatalogIdentity.read(on: connection) }
    }
}
