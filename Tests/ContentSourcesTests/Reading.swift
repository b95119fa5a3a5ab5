import ContentSources
import Shelf

/// What a document became.
struct Reading {
    var records: [SourceRecord] = []

    var books: [BookRecord] {
        records.compactMap { if case .book(let book, _) = $0 { book } else { nil } }
    }

    var skipped: [SkippedRecord] {
        records.compactMap { if case .skipped(let record) = $0 { record } else { nil } }
    }

    init(
        _ pieces: [[UInt8]], origin: CatalogOrigin = .unknown, encoding: String? = nil
    ) throws(SourceError) {
        var records: [SourceRecord] = []
        var rest = pieces[...]
        try StoreCatalogReader.read(
            origin: origin, encoding: encoding,
            next: { () throws(SourceError) in rest.popFirst() },
            deliver: { (record) throws(SourceError) in records.append(record) })
        self.records = records
    }

    init(_ document: String, origin: CatalogOrigin = .unknown) throws(SourceError) {
        try self.init([Array(document.utf8)], origin: origin)
    }

    /// The one book of a document of one record.
    static func book(_ record: String, origin: CatalogOrigin = .unknown) throws -> BookRecord? {
        try Reading("[\(record)]", origin: origin).books.first
    }

    /// Why the one record of a document is passed over.
    static func fault(_ record: String, origin: CatalogOrigin = .unknown) throws -> String? {
        try Reading("[\(record)]", origin: origin).skipped.first?.reason
    }
}

extension SourceRecord {
    /// All that it says, for comparisons.
    var summary: String {
        switch self {
        case .book(let book, let number): "\(number) \(book)"
        case .skipped(let record): "skipped \(record)"
        }
    }
}
