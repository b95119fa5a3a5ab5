internal import Shelf
internal import XML

/// Reads one page of a feed, of whichever of the two kinds of OPDS it is.
struct FeedPageReader: ~Copyable {
    private enum Kind { case unknown, atom, json }

    /// How long a page in JSON may be, in bytes: in memory it takes a multiple of that.
    private static var jsonByteLimit: Int { 16 << 20 }

    private let url: String
    private let preference: [BookFormat]
    private let isOnShelf: Bool
    private let byteLimit: Int
    private let atom: AtomAssembler
    private var document: XMLDocument
    private var kind = Kind.unknown

    /// A page in JSON, which is read as a whole.
    private var json: [UInt8] = []
    private var jsonPage = FeedPage()
    private var byteCount = 0

    /// - Parameters:
    ///   - url: Where the page came from, after redirects.
    ///   - preference: The forms of EPUB, the preferred ones first.
    ///   - isOnShelf: Whether the feed is of what the person owns.
    ///   - byteLimit: How long the page may be, in bytes.
    init(url: String, preference: [BookFormat], isOnShelf: Bool, byteLimit: Int) {
        self.url = url
        self.preference = preference
        self.isOnShelf = isOnShelf
        self.byteLimit = byteLimit
        atom = AtomAssembler(
            base: url, locator: ContentLocator(pageAt: url), preference: preference, isOnShelf: isOnShelf)
        document = XMLDocument(handler: atom, limits: XMLLimits(byteCount: byteLimit))
    }

    /// What the page says of where to go on; complete when it was finished.
    var page: FeedPage { kind == .json ? jsonPage : atom.page }

    /// Takes the next piece of the page.
    ///
    /// - Throws: ``SourceError``, or what `deliver` throws.
    mutating func feed(
        _ bytes: Span<UInt8>, deliver: (FeedItem) throws(SourceError) -> Void
    ) throws(SourceError) {
        byteCount += bytes.count
        if kind == .unknown { kind = Self.kind(bytes) }
        guard kind == .json else {
            return try handing(to: deliver) { (reader: inout FeedPageReader) throws(SourceError) in
                try reader.document.feed(bytes)
            }
        }
        guard byteCount <= min(byteLimit, Self.jsonByteLimit) else {
            throw .refused(reason: "a page in JSON is longer than \(Self.jsonByteLimit >> 20) MiB")
        }
        for index in bytes.indices { json.append(bytes[index]) }
    }

    /// Ends the page.
    ///
    /// - Throws: ``SourceError``, or what `deliver` throws.
    mutating func finish(deliver: (FeedItem) throws(SourceError) -> Void) throws(SourceError) {
        guard kind == .json else {
            return try handing(to: deliver) { (reader: inout FeedPageReader) throws(SourceError) in
                try reader.document.finish()
            }
        }
        let parser = OPDS2Page(
            base: url, locator: ContentLocator(pageAt: url), preference: preference, isOnShelf: isOnShelf)
        jsonPage = try parser.read(json, deliver: deliver)
        json = []
    }

    private mutating func handing(
        to deliver: (FeedItem) throws(SourceError) -> Void,
        _ body: (inout FeedPageReader) throws(SourceError) -> Void
    ) throws(SourceError) {
        try withoutActuallyEscaping(deliver) { (deliver) throws(SourceError) in
            atom.deliver = deliver
            defer { atom.deliver = nil }
            do throws(SourceError) {
                try body(&self)
            } catch {
                throw atom.failure ?? error
            }
        }
    }

    /// By the first character: JSON begins with a brace or a bracket.
    private static func kind(_ bytes: Span<UInt8>) -> Kind {
        for index in bytes.indices where bytes[index] > 0x20 {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): return .json
            // A mark of byte order, in front of either.
            case 0xEF where index + 3 < bytes.count:
                return bytes[index + 3] == UInt8(ascii: "{") || bytes[index + 3] == UInt8(ascii: "[") ? .json : .atom
            default: return .atom
            }
        }
        return .unknown
    }
}

extension ContentLocator {
    /// What a page at `url` may name: a page in a file also files.
    convenience init(pageAt url: String) {
        self.init(CatalogOrigin(pageAt: url))
    }
}
