import Catalog
import Foundation
import SQLite
import Shelf
import Testing

/// A catalog with its index.
final class SearchedShelf {
    let catalog: TemporaryCatalog
    var indexURL: URL { catalog.directory.appending(path: "search/index.db") }

    init(_ catalog: TemporaryCatalog, _ books: [BookRecord]) throws {
        self.catalog = catalog
        try catalog.replace(books, samples: .never)
        try index()
    }

    /// Books by title, authors with `;` between them, and description.
    convenience init(_ books: [(title: String, authors: String, description: String)]) throws {
        let records = books.enumerated().map { number, described in
            var record = book("\(number)", title: described.title)
            record.authors = described.authors.split(separator: ";").map { Author(name: String($0)) }
            record.description = described.description
            return record
        }
        try self.init(try TemporaryCatalog(), records)
    }

    func index() throws {
        #expect(try SearchIndexer(catalogPath: catalog.path).bringUpToDate(waitingAtMost: .seconds(10)) == .isUpToDate)
    }

    func found(_ typed: String, all: Bool = true, limit: Int? = nil) throws -> FoundBooks {
        var queries = try CatalogQueries(path: catalog.path)
        return try queries.search(SearchQuery(typed), includesUnpurchased: all, limit: limit)
    }

    /// The titles of what is found.
    func find(_ typed: String, all: Bool = true, limit: Int? = nil) throws -> [String] {
        var queries = try CatalogQueries(path: catalog.path)
        let found = try queries.search(SearchQuery(typed), includesUnpurchased: all, limit: limit)
        if limit == nil { #expect(found.total == found.books.count) }
        return try found.books.map { try #require(try queries.book($0)).title }
    }

    /// Which file the index is, and how many entries were ever in it.
    func indexFile() throws -> String {
        let attributes = try FileManager.default.attributesOfItem(atPath: indexURL.path(percentEncoded: false))
        let index = try Connection(indexURL.path(percentEncoded: false), access: .read)
        let last = try index.number("SELECT value FROM property WHERE name = 'last_entry'")
        return "\(attributes[.systemFileNumber] ?? 0) \(last)"
    }
}
