import Catalog
import Foundation
import Shelf

/// A catalog in a directory of its own, removed with it.
final class TemporaryCatalog {
    let directory: URL
    var path: String { directory.appending(path: "catalog.db").path(percentEncoded: false) }
    private var clock: Int64 = 1_700_000_000_000_000_000

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "catalog-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// Now, a second later at each call.
    func now() -> Int64 {
        clock += 1_000_000_000
        return clock
    }

    /// Replaces what the source `import` had.
    @discardableResult
    func replace(
        _ records: [SourceRecord], samples: SamplePolicy = .auto, source name: String = "import"
    ) throws -> SyncSummary {
        let writer = try CatalogWriter(path: path)
        let source =
            try writer.sources().first { $0.name == name }
            ?? writer.addSource(name: name, kind: "store", location: "/catalog.json")
        return try writer.replaceBooks(of: source, validators: { Validators() }, samples: samples, now: now()) {
            (deliver) throws(SourceError) in
            for record in records { try deliver(record) }
        }
    }

    @discardableResult
    func replace(_ books: [BookRecord], samples: SamplePolicy = .auto, source: String = "import") throws -> SyncSummary
    {
        try replace(books.enumerated().map { .book($1, number: $0 + 1) }, samples: samples, source: source)
    }

    /// Every path of the tree, sorted.
    func tree() throws -> [String] {
        let readers = try CatalogReaders(path: path, count: 1)
        var directories: [(DirectoryID, String)] = []
        try readers.list(.root, after: 0, includesAttributes: false) { (_, name, node) in
            if case .directory(let id) = node { directories.append((id, text(name))) }
            return true
        }
        var paths: [String] = []
        for (id, directory) in directories {
            try readers.list(id, after: 0, includesAttributes: false) { (_, name, _) in
                paths.append("\(directory)/\(text(name))")
                return true
            }
        }
        return paths.sorted()
    }

    /// Every path of the tree, sorted, however deep it is.
    func wholeTree() throws -> [String] {
        let readers = try CatalogReaders(path: path, count: 1)
        var paths: [String] = []
        var directories: [(DirectoryID, String)] = [(.root, "")]
        while let (directory, prefix) = directories.popLast() {
            try readers.list(directory, after: 0, includesAttributes: false) { (_, name, node) in
                switch node {
                case .directory(let id): directories.append((id, "\(prefix)\(text(name))/"))
                default: paths.append(prefix + text(name))
                }
                return true
            }
        }
        return paths.sorted()
    }

    func anchor() throws -> SyncAnchor {
        try CatalogReaders(path: path, count: 1).anchor()
    }

    /// What changed since `anchor`; `nil` if it expired.
    func changes(after anchor: SyncAnchor) throws -> [Change]? {
        switch try CatalogReaders(path: path, count: 1).changes(after: anchor, limit: 100_000) {
        case .changes(let changes, _): changes
        case .expired: nil
        }
    }

    /// The version that stands at a path.
    func version(at path: String) throws -> VersionAttributes? {
        var parts = path.split(separator: "/").map(String.init)
        let readers = try CatalogReaders(path: self.path, count: 1)
        var directory = DirectoryID.root
        guard let name = parts.popLast() else { return nil }
        for part in parts {
            guard case .directory(let next)? = try readers.lookup(part, in: directory) else { return nil }
            directory = next.id
        }
        guard case .book(let version)? = try readers.lookup(name, in: directory) else { return nil }
        return version
    }
}

func text(_ span: Span<UInt8>) -> String {
    var bytes: [UInt8] = []
    for index in span.indices { bytes.append(span[index]) }
    return String(decoding: bytes, as: UTF8.self)
}

/// A purchased book with content.
func book(
    _ key: String, title: String? = nil, author: String = "A. Author", category: String? = "Novels",
    size: Int64? = 1_000,
    url: String? = nil, sha256: String? = nil, modifiedAt: Int64? = nil, isPurchased: Bool = true,
    isSample: Bool = false
) -> BookRecord {
    var record = BookRecord(key: key, title: title ?? "Title \(key)")
    record.authors = author.isEmpty ? [] : [Author(name: author)]
    record.categories = category.map { [$0] } ?? []
    record.isPurchased = isPurchased
    record.isSample = isSample
    var content = ContentStatement(url: url ?? "https://books.example/\(key).epub")
    content.byteCount = size
    content.sha256 = sha256
    content.modifiedAt = modifiedAt
    record.content = content
    return record
}
