internal import SQLite
package import Shelf

/// What a search found.
package struct FoundBooks: Sendable {
    /// Best first.
    package let books: [BookID]

    /// How many there are in all, where only the best were asked for.
    package let total: Int
}

/// A book of the shelf that a search found, as it stands in a directory of what was found.
package struct FoundEntry: Sendable {
    package let name: String
    package let version: VersionAttributes
}

/// The search of a catalog, for one thread at a time; opens the index when it is first needed, and again when there is a new one.
struct CatalogSearch: ~Copyable {
    private let catalogPath: String
    private let cacheByteCount: Int
    private var reader: SearchReader?

    init(catalogPath: String, cacheByteCount: Int) {
        self.catalogPath = catalogPath
        self.cacheByteCount = cacheByteCount
        reader = nil
    }

    /// - Parameters:
    ///   - query: What was typed.
    ///   - includesUnpurchased: Whether those that aren't purchased come behind those that are.
    ///   - limit: How many at most; `nil` for all.
    ///   - countsAll: Whether the total is asked for where there may be more.
    /// - Returns: Nothing where there is no index.
    /// - Throws: ``CatalogError``.
    mutating func find(
        _ query: SearchQuery, includesUnpurchased: Bool, limit: Int?, countsAll: Bool
    ) throws(CatalogError) -> FoundBooks {
        guard !query.isEmpty, var reader = try current() else { return FoundBooks(books: [], total: 0) }
        do throws(SQLiteError) {
            let books = try reader.find(query, includesUnpurchased: includesUnpurchased, limit: limit)
            let mayBeMore = countsAll && limit.map { books.count >= $0 } ?? false
            let total =
                mayBeMore ? try reader.count(query, includesUnpurchased: includesUnpurchased) : books.count
            self.reader = consume reader
            return FoundBooks(books: books, total: total)
        } catch {
            throw failure(error)
        }
    }

    private mutating func current() throws(CatalogError) -> SearchReader? {
        if let reader = self.reader.take(), !reader.isOutdated { return reader }
        return try SearchReader.open(catalogPath: catalogPath, cacheByteCount: cacheByteCount)
    }

    /// A fault of the index is none of the catalog: what is damaged is removed, and made anew by whoever comes next.
    private func failure(_ error: SQLiteError) -> CatalogError {
        if error.kind == .corrupt { SearchIndexFile(besideCatalogAt: catalogPath).remove() }
        return .other(reason: "the search index can't be read (\(error.message)); the next search makes it anew")
    }
}
