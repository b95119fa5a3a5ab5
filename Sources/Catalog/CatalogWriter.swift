internal import SQLite
package import Shelf

/// The one connection by which a process changes the catalog.
///
/// Every change is one transaction: readers see all of it or nothing. Two processes that write take turns; the second
/// waits up to 30 seconds, then gets ``CatalogError/busy``.
package struct CatalogWriter: ~Copyable, Sendable {
    let connection: Connection
    private let path: String

    /// Opens the catalog; makes it, or brings it to the newest format, where need be.
    ///
    /// - Parameter path: The database file, in a directory that exists.
    /// - Throws: ``CatalogError``.
    package init(path: String) throws(CatalogError) {
        connection = try CatalogFile.openForWriting(path)
        self.path = path
    }

    // MARK: - Sources

    /// The sources in the order in which they were added.
    ///
    /// - Throws: ``CatalogError``.
    package func sources() throws(CatalogError) -> [Source] {
        try translating { () throws(SQLiteError) in try SourceTable.all(on: connection) }
    }

    /// Adds a source, without its books.
    ///
    /// - Parameters:
    ///   - name: Unique in the profile.
    ///   - kind: For example `store`.
    ///   - location: Without credentials.
    ///   - options: A JSON object.
    ///   - allowsPlainHTTP: Whether plain http to other hosts is allowed.
    /// - Returns: The source.
    /// - Throws: ``CatalogError/sourceExists(name:)`` or another ``CatalogError``.
    package func addSource(
        name: String, kind: String, location: String, options: String = "{}", allowsPlainHTTP: Bool = false
    ) throws(CatalogError) -> Source {
        try connection.write(wrapping: CatalogError.init) { () throws(CatalogError) in
            let isTaken = try translating { () throws(SQLiteError) in
                try SourceTable.named(name, on: connection) != nil
            }
            guard !isTaken else { throw .sourceExists(name: name) }
            let added = try translating { () throws(SQLiteError) in
                try SourceTable.insert(
                    name: name, kind: kind, location: location, options: options, allowsPlainHTTP: allowsPlainHTTP,
                    on: connection)
                return try SourceTable.named(name, on: connection)
            }
            guard let added else { throw .unknownSource(name: name) }
            return added
        }
    }

    /// Points a source at another location.
    ///
    /// - Throws: ``CatalogError``.
    package func setLocation(_ location: String, of source: Source) throws(CatalogError) {
        guard source.location != location else { return }
        try translating { () throws(SQLiteError) in
            try connection.run(
                "UPDATE source SET location = ?2 WHERE id = ?1", .integer(source.id), .text(location))
        }
    }

    /// Removes a source: its books leave the shelf as if it listed none of them any more.
    ///
    /// - Parameters:
    ///   - name: Of the source.
    ///   - samples: The policy of the profile.
    ///   - now: Nanoseconds since 1970.
    /// - Returns: How many books left.
    /// - Throws: ``CatalogError/unknownSource(name:)`` or another ``CatalogError``.
    package func removeSource(_ name: String, samples: SamplePolicy, now: Int64) throws(CatalogError) -> Int {
        let found = try translating { () throws(SQLiteError) in try SourceTable.named(name, on: connection) }
        guard let source = found else { throw .unknownSource(name: name) }
        let removed: Int
        do throws(SourceError) {
            removed = try replaceBooks(of: source, validators: { Validators() }, samples: samples, now: now) { _ in }
                .removed
        } catch {
            throw .other(reason: error.reason)
        }
        try translating { () throws(SQLiteError) in
            try connection.run("UPDATE source SET is_removed = 1 WHERE id = ?1", .integer(source.id))
        }
        return removed
    }

    // MARK: - Books

    /// Replaces what a source had listed by what `read` delivers, all of it or nothing.
    ///
    /// Records go to a temporary database while readers see the old state. When `read` has returned, one transaction
    /// merges the differences; if nothing differs, nothing is written.
    ///
    /// - Parameters:
    ///   - source: A source of this catalog.
    ///   - validators: Asked for what the source said of the document, when `read` has returned.
    ///   - samples: The policy of the profile.
    ///   - now: Nanoseconds since 1970.
    ///   - read: Calls the closure it is given once a record, in document order.
    /// - Returns: What was done.
    /// - Throws: What `read` throws, or ``SourceError/storage(reason:)``; the catalog is then unchanged.
    package func replaceBooks(
        of source: Source, validators: () -> Validators, samples: SamplePolicy, now: Int64,
        from read: (_ deliver: (SourceRecord) throws(SourceError) -> Void) throws(SourceError) -> Void
    ) throws(SourceError) -> SyncSummary {
        var staging = try storing { () throws(SQLiteError) in try Staging(on: connection) }
        do throws(SourceError) {
            try read { (record) throws(SourceError) in
                try storing { () throws(SQLiteError) in try staging.add(record, on: connection) }
            }
            let summary = try merge(&staging, source: source, validators: validators(), samples: samples, now: now)
            try storing { () throws(SQLiteError) in
                try staging.detach(from: connection)
                if summary.added + summary.updated > 0 {
                    try HighWaterMark(besideCatalogAt: path).raise(above: connection)
                }
            }
            return summary
        } catch {
            try? staging.detach(from: connection)
            throw error
        }
    }

    private func merge(
        _ staging: inout Staging, source: Source, validators: Validators, samples: SamplePolicy, now: Int64
    ) throws(SourceError) -> SyncSummary {
        try storing { () throws(SQLiteError) in
            try staging.finishBatch(on: connection)
            try staging.dropDuplicates(on: connection)
        }
        let fills = try storing { () throws(SQLiteError) in try Merge.fillsCatalog(on: connection) }
        if fills { try storing { () throws(SQLiteError) in try connection.execute(Self.fillingSettings) } }
        defer { if fills { try? connection.execute(Self.usualSettings) } }
        return try connection.write(wrapping: { SourceError.storage(reason: CatalogError($0).reason) }) {
            () throws(SourceError) in
            var summary = try storing { () throws(SQLiteError) in
                var merge = try Merge(
                    source: source.id, nanoseconds: now, hasPurchases: staging.hasPurchases,
                    hasReadingTimes: staging.hasReadingTimes, on: connection)
                return try merge.run(samples: samples, on: connection)
            }
            try storing { () throws(SQLiteError) in
                try SourceTable.setValidators(validators, of: source.id, on: connection)
            }
            summary.skipped = staging.skipped
            summary.skippedCount = staging.skippedCount
            return summary
        }
    }

    /// While an empty catalog is filled: every row refers to one that the same record has just made, so that looking for it
    /// is in vain; and the indexes are sorted by a second thread.
    private static var fillingSettings: StaticString { "PRAGMA foreign_keys = OFF; PRAGMA threads = 1" }
    private static var usualSettings: StaticString { "PRAGMA foreign_keys = ON; PRAGMA threads = 0" }

    private func storing<Success: ~Copyable>(
        _ body: () throws(SQLiteError) -> Success
    ) throws(SourceError) -> Success {
        do throws(SQLiteError) { return try body() } catch { throw .storage(reason: CatalogError(error).reason) }
    }
}
