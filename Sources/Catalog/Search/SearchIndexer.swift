internal import FileLock
internal import SQLite
internal import Shelf

/// Keeps the search index in step with the catalog.
///
/// It follows the change history from its own anchor, in batches of one short transaction each. Where the history doesn't reach back so
/// far, or a large part of the books has changed, the index is made anew beside the old one, which answers until then. One process
/// does so at a time.
package struct SearchIndexer {
    /// How it ended.
    package enum Outcome: Sendable, Hashable {
        case isUpToDate

        /// Another process does it, and wasn't done within the time.
        case isBusy
    }

    private let catalogPath: String
    private let file: SearchIndexFile

    /// Books that one transaction takes.
    private static var batchCount: Int { 2_000 }

    /// - Parameter catalogPath: Of a catalog that exists.
    package init(catalogPath: String) {
        self.catalogPath = catalogPath
        file = SearchIndexFile(besideCatalogAt: catalogPath)
    }

    /// Brings the index up to date.
    ///
    /// - Parameters:
    ///   - limit: How long to wait for another process that does so.
    ///   - progress: Called now and then with how many books are in a new index, and how many there are.
    /// - Returns: Whether it is.
    /// - Throws: ``CatalogError``; the index is then behind, or as it was.
    package func bringUpToDate(
        waitingAtMost limit: Duration, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(CatalogError) -> Outcome {
        file.makeDirectory()
        guard let lock = try takeLock(waitingAtMost: limit) else { return .isBusy }
        defer { lock.holdUntilHere() }
        let catalog = try CatalogFile.openForReading(catalogPath, pageCacheByteCount: 8 << 20)
        let identity = try translating { () throws(SQLiteError) in try CatalogIdentity.read(on: catalog) }
        do throws(SQLiteError) {
            try follow(catalog, identity, progress)
        } catch {
            // What is damaged is the index or the catalog; an index is made anew by whoever comes next.
            guard error.kind == .corrupt, error.damagedFile?.hasSuffix(SearchIndexFile.name) != false else {
                throw CatalogError(error)
            }
            file.remove()
            throw .other(reason: "the search index was damaged and is made anew with the next search")
        }
        return .isUpToDate
    }

    /// - Returns: `nil` if another process has it.
    private func takeLock(waitingAtMost limit: Duration) throws(CatalogError) -> FileLock? {
        do throws(FileLock.Failure) {
            return try FileLock(file.indexingLock, .exclusive, waitingAtMost: limit)
        } catch {
            guard case .unusable(let number) = error else { return nil }
            throw .other(reason: "\(file.indexingLock) can't be locked (error \(number))")
        }
    }

    private func follow(
        _ catalog: borrowing Connection, _ identity: String?, _ progress: (Int, Int) -> Void
    ) throws(SQLiteError) {
        var isNew = false
        while true {
            guard let index = file.open(.readWrite, ofCatalog: identity, cacheByteCount: 4 << 20) else {
                // One that was just made and can't be opened won't be by making it again.
                guard !isNew else { throw SQLiteError.busy(waitingFor: file.path) }
                try rebuild(from: catalog, identity, progress)
                isNew = true
                continue
            }
            let anchor = SyncAnchor(rawValue: try IndexProperty.number(.anchor, on: index))
            switch try PendingBooks.after(anchor, on: catalog) {
            case .expired: try rebuild(from: catalog, identity, progress)
            case .books(let books, let through):
                let limit = try Self.limit(on: index)
                if books.isEmpty, through == anchor { return }
                if books.count > limit {
                    try rebuild(from: catalog, identity, progress)
                } else if try apply(books, through: through, from: catalog, to: index) > limit {
                    try rebuild(from: catalog, identity, progress)
                }
            }
        }
    }

    private func rebuild(
        from catalog: borrowing Connection, _ identity: String?, _ progress: (Int, Int) -> Void
    ) throws(SQLiteError) {
        try file.replace { (index) throws(SQLiteError) in
            try SearchIndexBuilder.fill(index, from: catalog, identity: identity, progress: progress)
        }
    }

    /// How many entries may stand out of order or no longer hold: each costs a search a little.
    private static func limit(on index: borrowing Connection) throws(SQLiteError) -> Int {
        min(16_000, max(2_000, Int(try IndexProperty.number(.mainCount, on: index)) / 8))
    }

    /// - Returns: How many entries stand out of order or no longer hold.
    private func apply(
        _ books: [BookID], through anchor: SyncAnchor, from catalog: borrowing Connection,
        to index: borrowing Connection
    ) throws(SQLiteError) -> Int {
        var start = 0
        repeat {
            let batch = books[start..<min(books.count, start + Self.batchCount)]
            start = batch.endIndex
            // The anchor moves with the last batch; those before are found unchanged if they come again.
            let reached = start == books.count ? anchor : nil
            try index.write(wrapping: { $0 }) { () throws(SQLiteError) in
                try applyInTransaction(batch, through: reached, from: catalog, to: index)
            }
        } while start < books.count
        let removed = try IndexProperty.number(.removedCount, on: index)
        let late =
            try IndexProperty.number(.lastEntry, on: index) - IndexProperty.number(.mainCount, on: index)
        return Int(removed + late)
    }

    private func applyInTransaction(
        _ books: ArraySlice<BookID>, through anchor: SyncAnchor?, from catalog: borrowing Connection,
        to index: borrowing Connection
    ) throws(SQLiteError) {
        var current = try IndexedBookQuery(on: catalog)
        var entries = try IndexEntries(on: index)
        var find = try Statement("SELECT digest FROM entry WHERE book = ?1", on: index)
        var delete = try Statement("DELETE FROM entry WHERE book = ?1", on: index)
        var addWord = try Statement("INSERT OR IGNORE INTO word VALUES (?1)", on: index)
        var removed = try IndexProperty.number(.removedCount, on: index)
        var last = try IndexProperty.number(.lastEntry, on: index)
        for id in books {
            let book = try current.book(id)
            var digest: Int64?
            try find.forEachRow([.integer(id.rawValue)]) { (row) throws(SQLiteError) in digest = row.integer(at: 0) }
            if let book, book.digest == digest { continue }
            if digest != nil {
                try delete.run([.integer(id.rawValue)])
                removed += 1
            }
            guard let book else { continue }
            last += 1
            try entries.add(last, book)
            for word in book.document.wordTerms { try addWord.run([.text(word)]) }
        }
        try IndexProperty.set(.removedCount, .integer(removed), on: index)
        try IndexProperty.set(.lastEntry, .integer(last), on: index)
        if let anchor { try IndexProperty.set(.anchor, .integer(anchor.rawValue), on: index) }
    }
}
