import BookFileSystem
import Catalog
import ContentCache
import FUSE
import Foundation
import Log
import SharedMemory
import Shelf

/// A tree over a catalog and an empty cache in a directory of its own, without a kernel.
final class TreeFixture {
    let directory: URL
    let board: AnnouncementBoard
    let openVersions: OpenVersions
    private let counts: SharedCounts
    private var clock: Int64 = 1_700_000_000_000_000_000

    var catalogPath: String { directory.appending(path: "catalog.db").path(percentEncoded: false) }

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "tree-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        board = AnnouncementBoard(in: try SharedRegion(wordCount: AnnouncementBoard.wordCount))
        counts = SharedCounts(in: try SharedRegion(wordCount: SharedCounts.wordCount))
        openVersions = OpenVersions(counts)
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// Replaces the books of the catalog.
    func replace(_ books: [BookRecord]) throws {
        clock += 1_000_000_000
        let writer = try CatalogWriter(path: catalogPath)
        let source =
            try writer.sources().first ?? writer.addSource(name: "import", kind: "store", location: "/catalog.json")
        _ = try writer.replaceBooks(of: source, validators: { Validators() }, samples: .auto, now: clock) {
            (deliver) throws(SourceError) in
            for (index, book) in books.enumerated() { try deliver(.book(book, number: index + 1)) }
        }
    }

    func readers() throws -> CatalogReaders {
        try CatalogReaders(path: catalogPath, count: 2)
    }

    /// A tree that answers for the catalog; the next one, if `passthrough` has its memory, goes on with it.
    func tree(_ passthrough: PassthroughBooks? = nil) throws -> BookTree {
        let cache = try ContentCache(
            at: directory.appending(path: "cache").path(percentEncoded: false), fetcher: NoFetcher(),
            client: NoClient())
        return BookTree(
            catalog: try readers(), cache: cache, board: board, openVersions: openVersions,
            passthrough: passthrough, releases: ReleaseQueue(wake: {}), owner: TreeOwner(userID: 1_000, groupID: 1_001),
            readDeadline: .seconds(1), searchFreshness: .zero, now: { 1_800_000_000_000_000_000 }, log: .silent)
    }

    // MARK: - Content

    /// Where the cache keeps the file of a version.
    func contentFile(of version: VersionID) -> URL {
        let folder = String(format: "%02x", version.rawValue & 255)
        return directory.appending(path: "cache/content/\(folder)/\(version.rawValue).book")
    }

    /// Puts a content on disk, with its record, as if it had been fetched and verified.
    func makeLocal(_ version: VersionID, byteCount: Int) throws {
        let file = contentFile(of: version)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(count: byteCount).write(to: file)
        var status = stat()
        guard unsafe stat(file.path(percentEncoded: false), &status) == 0 else { throw CocoaError(.fileReadUnknown) }
        let modifiedAt = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        let hash = String(repeating: "0", count: 64)
        let record = "bookshelf content 1\nsize \(byteCount)\nmtime \(modifiedAt)\nsha256 \(hash)\netag \n"
        try Data(record.utf8).write(to: file.deletingPathExtension().appendingPathExtension("record"))
    }

    // MARK: - Counts

    /// Counts a handle as a worker does that is killed right behind.
    func count(_ version: VersionID, up isUp: Bool) {
        let key = UInt64(version.rawValue)
        if isUp { _ = try? counts.increment(key) } else { counts.decrement(key) }
    }

    /// Leaves no room for the count of a version; or makes room again.
    func fillCounts(around version: VersionID, _ isFull: Bool) {
        func bucket(_ key: UInt64) -> UInt64 { (key &* 0x9E37_79B9_7F4A_7C15) >> 32 % 1_024 }
        let wanted = bucket(UInt64(version.rawValue))
        for key in 1_000..<400_000 as Range<UInt64> where bucket(key) == wanted {
            if isFull { _ = try? counts.increment(key) } else { counts.decrement(key) }
        }
    }
}

/// Nobody who has anything open.
private struct NoClient: CacheClient {
    func isOpen(_ version: VersionID) -> Bool { false }
    func isPinned(_ version: VersionID) -> Bool { false }
    func correctSize(of version: ContentVersion, to byteCount: Int64, etag: String?) -> SizeCorrection { .refused }
    func renew(_ version: VersionID) {}
    func dropPages(of version: VersionID) {}
}

/// A source that nobody may ask: browsing brings no content.
private struct NoFetcher: ContentFetcher {
    private struct Nothing: ContentTransfer {
        func cancel() {}
    }

    func fetch(_ request: ContentRequest, into receiver: any ContentReceiver) -> any ContentTransfer {
        receiver.didFinish(.failure(.broken(reason: "content was asked for")))
        return Nothing()
    }
}

/// A purchased book of 1,000 bytes.
func book(_ key: String, title: String? = nil, category: String = "Novels", byteCount: Int64 = 1_000) -> BookRecord {
    var record = BookRecord(key: key, title: title ?? "Title \(key)")
    record.categories = [category]
    record.isPurchased = true
    var content = ContentStatement(url: "https://books.example/\(key).epub")
    content.byteCount = byteCount
    content.modifiedAt = 86_400
    record.content = content
    return record
}

let reader = Caller(processID: 4_711, userID: 1_000, groupID: 1_001)

extension BookTree {
    /// What a lookup finds; `nil` for a name that isn't there.
    func entry(_ name: String, in parent: Inode, by caller: Caller = reader) throws(Errno) -> Entry? {
        let bytes = Array(name.utf8)
        return switch try lookup(bytes.span, in: parent, caller: caller) {
        case .found(let entry): entry
        case .absent: nil
        }
    }
}
