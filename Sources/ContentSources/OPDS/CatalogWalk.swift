internal import HTTP
package import Shelf

/// Brings the pages of a catalog.
package protocol FeedPageSource {
    /// Brings one page, and returns when it has ended.
    ///
    /// - Parameters:
    ///   - url: Absolute.
    ///   - begin: Called once, with where the page came from after redirects.
    ///   - take: Takes the pieces of the page.
    /// - Returns: `nil`, or where the server says that there is no such page, that answer in words; nothing was called then.
    /// - Throws: ``SourceError``, or what `take` throws.
    func bring(
        _ url: String, begin: (String) -> Void, take: (Span<UInt8>) throws(SourceError) -> Void
    ) throws(SourceError) -> String?

    /// The size of a content, in bytes, as the server that has it states it; `nil` where it can't be had.
    func byteCount(of url: String) -> Int64?
}

/// Walks over an OPDS catalog and hands on the books in it, each once.
///
/// The shelf is walked if the first page offers one, else the feed of everything if it offers that, else all feeds that
/// entries lead to, breadth first; of each feed all its pages. Nothing is asked for twice, and pages, depth and bytes are
/// bounded. A page that can't be had or read ends the walk, after which what was handed on must be thrown away.
///
/// Except a feed that an entry leads to and the server says isn't there: it has no books, and is reported. There are servers
/// with an entry for what they then can't find. So that this isn't believed of one that is just not all there, the first
/// page is asked for once more in the end.
package struct CatalogWalk {
    /// What a catalog may ask of a walk.
    package struct Limits: Sendable {
        package var pageCount = 10_000

        /// How many feeds lead from the first page to any other.
        package var depth = 16

        /// Of one page, in bytes.
        package var pageByteCount = 64 << 20

        /// Of all pages, in bytes.
        package var byteCount = 8 << 30

        package init() {}
    }

    private struct Stop {
        let url: String
        let depth: Int
        let isOnShelf: Bool

        /// Whether an entry leads there, instead of a page of the same feed.
        var isByEntry = false
    }

    private let start: String
    private let preference: [BookFormat]
    private let limits: Limits

    private var queue: [Stop]
    private var next = 0

    /// The pages that were put into the queue, and where the first one was found.
    private var known: Set<String>
    private var byteCount = 0

    /// The servers whose feeds are walked: that of the first page, as it was asked for and after redirects.
    private var servers: Set<String>

    private var delivered = SeenKeys()

    /// Books without content that is the person's, in order: another feed may have it.
    private var waiting: [(book: BookRecord, number: Int)] = []
    private var number = 0

    /// Whether the server said of a feed that it isn't there.
    private var isMissingAny = false

    /// Whether the sizes in the feeds are those of what the server sends, as far as is known.
    private var areSizesTrue = true
    private var checkedSizeCount = 0

    /// How many sizes are checked.
    private static var maximumCheckedSizeCount: Int { 3 }

    /// How many of those are kept.
    private static var maximumWaitingCount: Int { 100_000 }

    /// How many pages were read.
    package private(set) var pageCount = 0

    /// - Parameters:
    ///   - start: The absolute URL of the first page.
    ///   - preference: The forms of EPUB, the preferred ones first.
    ///   - limits: What the catalog may ask.
    package init(start: String, preference: [BookFormat], limits: Limits = Limits()) {
        self.start = start
        self.preference = preference
        self.limits = limits
        queue = [Stop(url: start, depth: 0, isOnShelf: false)]
        known = [start]
        servers = [Self.server(of: start)]
    }

    /// Walks to the end.
    ///
    /// - Parameters:
    ///   - source: Brings the pages.
    ///   - deliver: Takes the records.
    /// - Throws: ``SourceError``, or what `source` or `deliver` throws.
    package mutating func run(
        from source: any FeedPageSource, deliver: (SourceRecord) throws(SourceError) -> Void
    ) throws(SourceError) {
        while next < queue.count {
            let stop = queue[next]
            next += 1
            try check(stop.url)
            if pageCount == 0 {
                try walkFirst(stop, from: source, deliver: deliver)
            } else {
                switch try read(
                    stop, from: source,
                    { (walk, item) throws(SourceError) in try walk.take(item, from: source, deliver: deliver) })
                {
                case .page(let page, _): try follow(page, from: stop)
                case .missing(let reason):
                    let reason = "page \(pageCount) of the catalog: \(reason)"
                    guard stop.isByEntry else { throw .refused(reason: reason) }
                    isMissingAny = true
                    try take(.skipped(key: nil, reason: reason), from: source, deliver: deliver)
                }
            }
        }
        if isMissingAny, let reason = try source.bring(start, begin: { _ in }, take: { (_) throws(SourceError) in }) {
            throw .refused(reason: reason)
        }
        for (book, number) in waiting where delivered.insert(book.key) {
            try deliver(.book(withTrueSize(book, by: source), number: number))
        }
    }

    // MARK: - Pages

    /// Reads the first page, whose books count only if it leads to no shelf.
    private mutating func walkFirst(
        _ stop: Stop, from source: any FeedPageSource, deliver: (SourceRecord) throws(SourceError) -> Void
    ) throws(SourceError) {
        var items: [FeedItem] = []
        let page: FeedPage
        let url: String
        switch try read(stop, from: source, { (_, item) throws(SourceError) in items.append(item) }) {
        case .page(let first, let place): (page, url) = (first, place)
        case .missing(let reason): throw .refused(reason: reason)
        }
        known.insert(url)
        servers.insert(Self.server(of: url))
        let offers = (page.links + page.entryLinks).filter { $0.isFeed || $0.mediaType == nil }
        let shelves = offers.filter(\.isShelf)
        let others = shelves.isEmpty ? offers.filter(\.isCrawlable) : shelves
        let targets = others.map(\.url).filter { $0 != url && $0 != stop.url }
        guard targets.isEmpty else {
            for url in targets { try add(Stop(url: url, depth: 1, isOnShelf: !shelves.isEmpty)) }
            return
        }
        for item in items { try take(item, from: source, deliver: deliver) }
        try follow(page, from: stop)
    }

    /// What came of asking for a page.
    private enum Answer {
        /// - Parameter url: Where it was after redirects.
        case page(FeedPage, url: String)

        /// There is none.
        case missing(reason: String)
    }

    private mutating func read(
        _ stop: Stop, from source: any FeedPageSource,
        _ take: (inout CatalogWalk, FeedItem) throws(SourceError) -> Void
    ) throws(SourceError) -> Answer {
        pageCount += 1
        var url = stop.url
        var reader: FeedPageReader?
        // Not more of the URL: there are servers that take a key in the path.
        let place = "page \(pageCount) of the catalog, at \(URLReference.place(stop.url)),"
        do throws(SourceError) {
            let missing = try source.bring(stop.url) { arrivedAt in
                url = arrivedAt
            } take: { (bytes) throws(SourceError) in
                byteCount += bytes.count
                guard byteCount <= limits.byteCount else {
                    throw .refused(reason: "the catalog has more than \(limits.byteCount >> 20) MiB of pages")
                }
                if reader == nil { reader = self.reader(of: stop, at: url) }
                try reader?.feed(bytes) { (item) throws(SourceError) in try take(&self, item) }
            }
            if let missing { return .missing(reason: missing) }
            if reader == nil { reader = self.reader(of: stop, at: url) }
            try reader?.finish { (item) throws(SourceError) in try take(&self, item) }
        } catch {
            switch error {
            case .malformed(let offset, let reason):
                throw .refused(reason: "\(place) can't be read: \(reason) at byte \(offset)")
            case .refused(let reason) where pageCount > 1:
                throw .refused(reason: "page \(pageCount) of the catalog: \(reason)")
            default: throw error
            }
        }
        return .page(reader?.page ?? FeedPage(), url: url)
    }

    private func reader(of stop: Stop, at url: String) -> FeedPageReader {
        FeedPageReader(
            url: url, preference: preference, isOnShelf: stop.isOnShelf, byteLimit: limits.pageByteCount)
    }

    /// Puts the pages that a page leads to into the queue.
    private mutating func follow(_ page: FeedPage, from stop: Stop) throws(SourceError) {
        // A next page is of the same feed, so it lies no deeper.
        if let url = page.next { try add(Stop(url: url, depth: stop.depth, isOnShelf: stop.isOnShelf)) }
        for url in page.navigation where servers.contains(Self.server(of: url)) {
            // Passed over, the books behind it would be taken for gone.
            if stop.depth >= limits.depth, !known.contains(url) {
                throw .refused(
                    reason:
                        "the feeds of the catalog lead to one another more than \(limits.depth) times; name a smaller part of it"
                )
            }
            try add(Stop(url: url, depth: stop.depth + 1, isOnShelf: stop.isOnShelf, isByEntry: true))
        }
    }

    private mutating func add(_ stop: Stop) throws(SourceError) {
        guard known.insert(stop.url).inserted else { return }
        guard queue.count < limits.pageCount else {
            throw .refused(reason: "the catalog has more than \(limits.pageCount) pages; name a smaller part of it")
        }
        queue.append(stop)
    }

    /// The host of a URL, with its port where that is another than those of http and https.
    private static func server(of url: String) -> String {
        guard let origin = URLReference.origin(url), let host = URLReference.host(url) else { return "" }
        return origin == "http://\(host):80" || origin == "https://\(host):443" ? host : origin
    }

    /// - Throws: ``SourceError/refused(reason:)`` for a page that a catalog may not lead to.
    private func check(_ url: String) throws(SourceError) {
        switch URLReference.scheme(url) {
        case "http", "https":
            // What runs on this machine is none of a distant server's business.
            guard
                !URLReference.isLoopback(url) || URLReference.isLoopback(start) || URLReference.scheme(start) == "file"
            else {
                throw .refused(reason: "the catalog leads to \(URLReference.place(url)), a server of this machine")
            }
        case "file" where URLReference.scheme(start) == "file": break
        default: throw .refused(reason: "the catalog leads to something that is neither http nor https")
        }
    }

    // MARK: - Books

    private mutating func take(
        _ item: FeedItem, from source: any FeedPageSource, deliver: (SourceRecord) throws(SourceError) -> Void
    ) throws(SourceError) {
        number += 1
        switch item {
        case .skipped(let key, let reason):
            try deliver(.skipped(SkippedRecord(number: number, key: key, reason: reason)))
        case .book(let book):
            let isWeak = book.content == nil || !book.isPurchased
            if isWeak, waiting.count < Self.maximumWaitingCount {
                waiting.append((book, number))
            } else if delivered.insert(book.key) {
                try deliver(.book(withTrueSize(book, by: source), number: number))
            }
        }
    }

    /// A book without its size where the feeds state other sizes than the server sends.
    ///
    /// Some servers state the size of a file and send it with other metadata in it: of all their books, so a few tell. What
    /// has no size is asked for it, each by itself.
    private mutating func withTrueSize(_ book: BookRecord, by source: any FeedPageSource) -> BookRecord {
        guard let content = book.content, let stated = content.byteCount else { return book }
        if areSizesTrue, checkedSizeCount < Self.maximumCheckedSizeCount {
            checkedSizeCount += 1
            if let sent = source.byteCount(of: content.url), sent != stated { areSizesTrue = false }
        }
        guard !areSizesTrue else { return book }
        var book = book
        book.content?.byteCount = nil
        return book
    }
}

/// The keys of books that were handed on, as hashes of 128 bits: a catalog may have a million of them.
private struct SeenKeys {
    private struct Hash: Hashable {
        let first: Int
        let second: Int
    }

    private var hashes: Set<Hash> = []

    /// - Returns: Whether it wasn't there.
    mutating func insert(_ key: String) -> Bool {
        var first = Hasher()
        first.combine(0)
        var second = Hasher()
        second.combine(1)
        for byte in key.utf8 {
            first.combine(byte)
            second.combine(byte)
        }
        return hashes.insert(Hash(first: first.finalize(), second: second.finalize())).inserted
    }
}
