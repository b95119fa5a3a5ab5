internal import HTTP
internal import Shelf
internal import XML

/// Makes entries of the events of an OPDS 1.2 page: an Atom feed, or a single entry.
///
/// RFC 4287; OPDS 1.2 <https://specs.opds.io/opds-1.2>.
final class AtomAssembler: XMLHandler {
    /// An element that is open.
    private struct Open {
        let name: XMLName

        /// What relative references in it mean.
        let base: String
    }

    /// Where text goes that comes now.
    private enum Target {
        case nothing, id, title, markedUpTitle, updated, name, language, publisher, identifier, price

        /// A text that may be written as HTML or XHTML.
        case description
    }

    /// One who takes what is made.
    typealias Delivery = (FeedItem) throws(SourceError) -> Void

    private let locator: ContentLocator
    private let preference: [BookFormat]
    private let isOnShelf: Bool
    private let base: String

    private var open: [Open] = []
    private var entry: FeedEntry?
    private var link: FeedLink?
    private var target = Target.nothing

    /// How many elements were open where ``target`` began.
    private var targetDepth = 0
    private var text: [UInt8] = []
    private var isTooLarge = false

    private(set) var page = FeedPage()

    /// Takes the items; set while the reader is fed.
    var deliver: Delivery?

    /// What ``deliver`` threw.
    private(set) var failure: SourceError?

    init(base: String, locator: ContentLocator, preference: [BookFormat], isOnShelf: Bool) {
        self.base = base
        self.locator = locator
        self.preference = preference
        self.isOnShelf = isOnShelf
    }

    // MARK: - Events

    func startElement(_ name: XMLName, _ attributes: [XMLAttribute]) throws(XMLStop) {
        let outer = open.last?.base ?? base
        let inner = attributes[Self.xml, "base"].flatMap { URLReference.resolve($0, against: outer) } ?? outer
        if open.isEmpty { try checkRoot(name) }
        open.append(Open(name: name, base: inner))
        if target != .nothing {
            // The mark-up within a text: kept for a description, which is made plain later.
            if case .description = target { append(Array("<\(name.local)>".utf8)) }
            return
        }
        if name.isAtom, name.local == "entry", open.count <= 2 {
            entry = FeedEntry()
            isTooLarge = false
            return
        }
        if name.isAtom, name.local == "link", isInFeedOrEntry { return startLink(attributes, base: inner) }
        if link != nil { return takePart(ofLink: name, attributes) }
        guard entry != nil else { return }
        begin(name, attributes)
    }

    func endElement(_ name: XMLName) throws(XMLStop) {
        if target != .nothing {
            if open.count == targetDepth {
                finishText()
            } else if case .description = target {
                append(Array("</\(name.local)>".utf8))
            }
        }
        open.removeLast()
        if name.isAtom, name.local == "link" { finishLink() }
        if name.isAtom, name.local == "entry", open.count <= 1 { try finishEntry() }
    }

    func text(_ bytes: Span<UInt8>) {
        guard target != .nothing, !isTooLarge else { return }
        let isMarkup = if case .description = target { open.count > targetDepth } else { false }
        for index in bytes.indices {
            // Text within mark-up means itself, so what would be mark-up once more is written as it is in HTML.
            switch (isMarkup, bytes[index]) {
            case (true, UInt8(ascii: "<")): text += Array("&lt;".utf8)
            case (true, UInt8(ascii: "&")): text += Array("&amp;".utf8)
            default: text.append(bytes[index])
            }
        }
        count(bytes.count)
    }

    func reference(to name: String) {
        guard target != .nothing else { return }
        if target == .description { return append(Array("&\(name);".utf8)) }
        if let character = CharacterEntities.character(named: name[...]) { append(Array(String(character).utf8)) }
    }

    // MARK: - Entries

    private static var xml: String { "http://www.w3.org/XML/1998/namespace" }

    private func checkRoot(_ name: XMLName) throws(XMLStop) {
        guard name.local == "feed" || name.local == "entry", name.isAtom else {
            let what =
                name.local == "html" ? "it is a web page, not a feed" : "it is no feed, but “\(name.local.prefix(64))”"
            throw XMLStop(reason: what)
        }
    }

    /// The element around the one that has just begun.
    private var parent: XMLName? { open.count >= 2 ? open[open.count - 2].name : nil }

    /// Whether the element that has just begun says something about the feed or the entry itself, not about an author or a part.
    private var isInFeedOrEntry: Bool {
        parent?.isAtom == true && (parent?.local == "feed" || parent?.local == "entry")
    }

    private func begin(_ name: XMLName, _ attributes: [XMLAttribute]) {
        let parent = parent
        let isChild = parent?.local == "entry"
        switch (name.kind, name.local) {
        case (.atom, "id") where isChild: collect(.id)
        case (.atom, "title") where isChild: collect(attributes["type"] == "html" ? .markedUpTitle : .title)
        case (.atom, "updated") where isChild: collect(.updated)
        case (.atom, "name") where parent?.local == "author" && open.count >= 3: collect(.name)
        case (.atom, "summary") where isChild, (.atom, "content") where isChild:
            if attributes["src"] == nil { collect(.description) }
        case (.atom, "category") where isChild:
            if let term = attributes["label"] ?? attributes["term"] { entry?.take(category: term) }
        case (.dublinCore, "language") where isChild: collect(.language)
        case (.dublinCore, "publisher") where isChild: collect(.publisher)
        case (.dublinCore, "identifier") where isChild: collect(.identifier)
        case (.schema, "Series"):
            entry?.series = (attributes[XMLName.schemaNamespace, "name"] ?? attributes["name"])?.onOneLine
            let position = attributes[XMLName.schemaNamespace, "position"] ?? attributes["position"]
            entry?.seriesIndex = position.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
        default: break
        }
    }

    private func finishEntry() throws(XMLStop) {
        guard let finished = entry else { return }
        entry = nil
        let key = finished.id.isEmpty ? nil : finished.id
        if isTooLarge {
            return try hand(.skipped(key: key, reason: "the entry is larger than \(FeedEntry.byteLimit >> 20) MiB"))
        }
        page.takeNavigation(of: finished)
        guard finished.isBook else { return }
        guard let book = finished.book(locator: locator, preference: preference, isOnShelf: isOnShelf) else {
            return try hand(.skipped(key: key, reason: "the entry has no title"))
        }
        try hand(.book(book))
    }

    private func hand(_ item: FeedItem) throws(XMLStop) {
        do throws(SourceError) {
            try deliver?(item)
        } catch {
            failure = error
            throw XMLStop(reason: error.reason)
        }
    }

    // MARK: - Texts

    private func collect(_ target: Target) {
        self.target = target
        targetDepth = open.count
        text = []
    }

    private func append(_ bytes: [UInt8]) {
        guard !isTooLarge else { return }
        text += bytes
        count(bytes.count)
    }

    private func count(_ byteCount: Int) {
        entry?.keptByteCount += byteCount
        guard let entry, entry.keptByteCount > FeedEntry.byteLimit else { return }
        isTooLarge = true
        text = []
    }

    private func finishText() {
        let value = String(trimming: text.span)
        switch target {
        case .id: entry?.id = value
        case .title: entry?.title = value.onOneLine
        case .markedUpTitle: entry?.title = DescriptionText.plain(value).onOneLine
        case .updated: entry?.updatedAt = Timestamp.seconds(value)
        case .name: entry?.take(author: value)
        case .language: if entry?.language == nil { entry?.language = LanguageTag.tag(value) }
        case .publisher: if !value.isEmpty { entry?.publisher = value.onOneLine }
        case .identifier: entry?.take(identifier: value)
        case .price:
            let currency = link?.price
            link?.price = value.isEmpty ? nil : currency.map { "\(value) \($0)" } ?? value
        case .description: if value.utf8.count > entry?.description.utf8.count ?? 0 { entry?.description = value }
        case .nothing: break
        }
        target = .nothing
        text = []
    }

    // MARK: - Links

    private func startLink(_ attributes: [XMLAttribute], base: String) {
        // The links of a feed stand in it directly, those of an entry in the entry.
        guard link == nil, let reference = attributes["href"]?.trimmed, !reference.contains("{") else { return }
        entry?.keptByteCount += reference.utf8.count + 128
        let relations = (attributes["rel"] ?? "").split(separator: " ").map(String.init)
        var link = FeedLink(
            url: FeedLink.resolve(reference, against: base), relations: relations, type: attributes["type"])
        link.byteCount = attributes["length"].flatMap { Int64($0.trimmed) }.flatMap { $0 > 0 ? $0 : nil }
        link.modifiedAt = (attributes["mtime"] ?? attributes["updated"]).flatMap { Timestamp.seconds($0) }
        self.link = link
    }

    private func takePart(ofLink name: XMLName, _ attributes: [XMLAttribute]) {
        switch (name.kind, name.local) {
        case (.opds, "indirectAcquisition"): link?.isIndirect = true
        case (.opds, "price"):
            link?.price = attributes["currencycode"]
            collect(.price)
        case (.opds, "availability"):
            if let status = attributes["status"] { link?.isUnavailable = status != "available" && status != "ready" }
        default: break
        }
    }

    private func finishLink() {
        guard let finished = link else { return }
        link = nil
        if entry != nil { entry?.take(finished) } else { page.take(finished) }
    }
}

extension XMLName {
    fileprivate enum Kind { case atom, dublinCore, opds, schema, other }

    fileprivate static var schemaNamespace: String { "http://schema.org/" }

    fileprivate var kind: Kind {
        switch namespace {
        case "http://www.w3.org/2005/Atom", "": .atom
        case "http://purl.org/dc/terms/", "http://purl.org/dc/elements/1.1/": .dublinCore
        case "http://opds-spec.org/2010/catalog": .opds
        case Self.schemaNamespace: .schema
        default: .other
        }
    }

    fileprivate var isAtom: Bool { kind == .atom }
}
