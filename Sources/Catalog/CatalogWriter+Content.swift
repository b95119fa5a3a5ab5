internal import SQLite
package import Shelf

/// What became known about content after the sync that listed it.
extension CatalogWriter {
    /// The versions whose size no source has stated yet.
    ///
    /// - Parameters:
    ///   - last: Only those that were listed after it; `nil` for all.
    ///   - limit: How many at most.
    /// - Returns: What to ask their sources for.
    /// - Throws: ``CatalogError``.
    package func unsizedVersions(after last: VersionID? = nil, limit: Int) throws(CatalogError) -> [ContentVersion] {
        try translating { () throws(SQLiteError) in
            var find = try Statement(
                """
                SELECT id FROM version WHERE byte_count IS NULL AND superseded_at IS NULL AND id > ?2
                ORDER BY id LIMIT ?1
                """, on: connection)
            var ids: [VersionID] = []
            try find.forEachRow([.integer(Int64(limit)), .integer(last?.rawValue ?? 0)]) { (row) throws(SQLiteError) in
                ids.append(VersionID(rawValue: row.integer(at: 0)))
            }
            var content = try ContentQuery(on: connection)
            var versions: [ContentVersion] = []
            for id in ids {
                if let version = try content.version(id) { versions.append(version) }
            }
            return versions
        }
    }

    /// Takes the size that the source stated for a version: the tree shows it from now on.
    ///
    /// A book that was missing in the tree for want of a size appears; one that was listed with another size changes.
    ///
    /// - Parameters:
    ///   - byteCount: Of the whole content.
    ///   - version: A version of this catalog; nothing happens if it is gone.
    ///   - etag: What the source called these bytes.
    ///   - now: Nanoseconds since 1970.
    /// - Throws: ``CatalogError``.
    package func confirm(
        byteCount: Int64, of version: VersionID, etag: String?, now: Int64
    ) throws(CatalogError) {
        try connection.write(wrapping: CatalogError.init) { () throws(CatalogError) in
            try translating { () throws(SQLiteError) in
                try confirmInTransaction(byteCount: byteCount, of: version, etag: etag, now: now)
            }
        }
    }

    private func confirmInTransaction(
        byteCount: Int64, of version: VersionID, etag: String?, now: Int64
    ) throws(SQLiteError) {
        var found: (book: BookID, former: Int64?)?
        var load = try Statement("SELECT book, byte_count FROM version WHERE id = ?1", on: connection)
        try load.forEachRow([.integer(version.rawValue)]) { (row) throws(SQLiteError) in
            found = (BookID(rawValue: row.integer(at: 0)), row.integerOrNull(at: 1))
        }
        guard let found else { return }
        try connection.run(
            "UPDATE version SET byte_count = ?2, is_confirmed = 1, etag = ?3, changed_at = ?4 WHERE id = ?1",
            .integer(version.rawValue), .integer(byteCount), .text(orNull: etag), .integer(now / 1_000_000_000))
        guard found.former != byteCount else { return }
        var shelf = try ShelfWriter(now: now, on: connection)
        if let former = found.former {
            if try shelf.isShown(found.book) { shelf.countResize(from: former, to: byteCount) }
            try shelf.history.append(.attributes(version))
        } else {
            var books = try BookShower(arrangement: shelf.arrangement, on: connection)
            try books.showIfDue(found.book, shelf: &shelf, on: connection)
        }
        try shelf.finish(on: connection)
    }

    /// Removes the rows of superseded versions that nobody holds open any more.
    ///
    /// - Parameter versions: A version among them that is current stays.
    /// - Throws: ``CatalogError``.
    package func forget(_ versions: [VersionID]) throws(CatalogError) {
        guard !versions.isEmpty else { return }
        try connection.write(wrapping: CatalogError.init) { () throws(CatalogError) in
            try translating { () throws(SQLiteError) in
                var delete = try Statement(
                    "DELETE FROM version WHERE id = ?1 AND superseded_at IS NOT NULL", on: connection)
                for version in versions { try delete.run([.integer(version.rawValue)]) }
            }
        }
    }

    /// Applies the policy for samples to the whole shelf.
    ///
    /// Costs nothing where it is applied already: every merge keeps to it.
    ///
    /// - Parameters:
    ///   - policy: What holds from now on.
    ///   - now: Nanoseconds since 1970.
    /// - Throws: ``CatalogError``; the tree is then as it was.
    package func apply(_ policy: SamplePolicy, now: Int64) throws(CatalogError) {
        guard try !translating({ () throws(SQLiteError) in try policy.isApplied(on: connection) }) else { return }
        try connection.write(wrapping: CatalogError.init) { () throws(CatalogError) in
            try translating { () throws(SQLiteError) in
                let shows = try policy.showsSamples(on: connection)
                if try SamplePolicy.areSamplesShown(on: connection) != shows {
                    var shelf = try ShelfWriter(now: now, on: connection)
                    var books = try BookShower(arrangement: shelf.arrangement, on: connection)
                    try books.setSamplesShown(shows, shelf: &shelf, on: connection)
                    try shelf.finish(on: connection)
                }
                try policy.noteApplied(areShown: shows, on: connection)
            }
        }
    }
}
