import ContentSources
import Foundation
import Shelf

/// Pages of a catalog by their URLs, and what was asked for.
final class FeedPages: FeedPageSource {
    let pages: [String: [UInt8]]
    private(set) var requests: [String] = []

    /// Where URLs redirect to.
    var moved: [String: String] = [:]

    /// What a URL that isn't there answers; `nil` for an error.
    var otherwise: [UInt8]?

    /// The URLs of which the server says that there is nothing, from the so-manieth request for them on.
    var missing: [String: Int] = [:]

    /// The sizes of contents, by their URLs.
    var byteCounts: [String: Int64] = [:]

    init(_ pages: [String: String]) {
        self.pages = pages.mapValues { Array($0.utf8) }
    }

    init(bytes pages: [String: [UInt8]]) {
        self.pages = pages
    }

    func byteCount(of url: String) -> Int64? { byteCounts[url] }

    func bring(
        _ url: String, begin: (String) -> Void, take: (Span<UInt8>) throws(SourceError) -> Void
    ) throws(SourceError) -> String? {
        requests.append(url)
        if let first = missing[url], requests.count(where: { $0 == url }) >= first { return "no such page" }
        let place = moved[url] ?? url
        guard let bytes = pages[place] ?? otherwise else { throw .unreachable(reason: "no \(url)") }
        begin(place)
        // In two pieces, so that borders are tried as well.
        let middle = bytes.count / 2
        try take(Array(bytes[..<middle]).span)
        try take(Array(bytes[middle...]).span)
        return nil
    }

    /// Walks over the catalog that begins at `start`.
    func walk(
        _ start: String, preference: [BookFormat] = [.epub, .kepub], limits: CatalogWalk.Limits = .init()
    ) throws(SourceError) -> [SourceRecord] {
        var walk = CatalogWalk(start: start, preference: preference, limits: limits)
        var records: [SourceRecord] = []
        try walk.run(from: self) { (record) throws(SourceError) in records.append(record) }
        return records
    }
}

extension [SourceRecord] {
    var books: [BookRecord] {
        compactMap { if case .book(let book, _) = $0 { book } else { nil } }
    }

    var skipped: [SkippedRecord] {
        compactMap { if case .skipped(let record) = $0 { record } else { nil } }
    }
}

extension Corpus {
    /// The names of the files in a part of the corpus, in order.
    static func files(_ part: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(part)).sorted()
    }

    static func bytes(_ part: String, _ file: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path("\(part)/\(file)"))))
    }
}
