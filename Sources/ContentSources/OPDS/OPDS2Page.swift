internal import HTTP
internal import JSON
internal import Shelf

/// A page of OPDS 2.0: a feed in JSON, or a single publication.
///
/// OPDS 2.0 <https://drafts.opds.io/opds-2.0>; Readium Web Publication Manifest.
struct OPDS2Page {
    /// Where the page came from, after redirects.
    let base: String
    let locator: ContentLocator
    let preference: [BookFormat]
    let isOnShelf: Bool

    /// How many groups may stand in each other.
    private static var groupDepth: Int { 4 }

    /// Reads a whole page.
    ///
    /// - Throws: ``SourceError``, or what `deliver` throws.
    func read(
        _ bytes: [UInt8], deliver: (FeedItem) throws(SourceError) -> Void
    ) throws(SourceError) -> FeedPage {
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONValue(parsing: bytes, byteLimit: bytes.count)
        } catch {
            throw .malformed(offset: error.offset, reason: error.reason)
        }
        guard document.objectValue != nil else { throw .malformed(offset: 0, reason: "it isn't an object of JSON") }
        var page = FeedPage()
        if document["authentication"] != nil, document["publications"] == nil {
            throw .denied(reason: "the catalog wants a login" + AuthenticationDocument(document).ways)
        }
        let isFeed = ["publications", "navigation", "groups", "facets"].contains { document[$0] != nil }
        if isFeed {
            try take(document, into: &page, depth: 0, deliver: deliver)
        } else if document["metadata"]?["title"] != nil, document["links"]?.arrayValue != nil {
            for link in links(document["links"]) where link.acquisition == nil { page.take(link) }
            // A feed that is empty has a title and links as a publication has, but nothing to get.
            if links(document["links"]).contains(where: { $0.acquisition != nil }) {
                try take(publication: document, deliver: deliver)
            }
        } else {
            throw .malformed(offset: 0, reason: "it is JSON, but no feed of OPDS 2.0")
        }
        return page
    }

    private func take(
        _ feed: JSONValue, into page: inout FeedPage, depth: Int, deliver: (FeedItem) throws(SourceError) -> Void
    ) throws(SourceError) {
        let own = links(feed["links"])
        if depth == 0 {
            for link in own { page.take(link) }
        } else if page.navigation.count < FeedPage.maximumLinkCount {
            // A group shows the beginning of a feed, which its link “self” leads to.
            page.navigation += own.filter { $0.isFeed && $0.has("self") }.map(\.url)
        }
        for link in links(feed["navigation"]) {
            var entry = FeedEntry()
            entry.take(link)
            page.takeNavigation(of: entry)
        }
        for publication in feed["publications"]?.arrayValue ?? [] {
            try take(publication: publication, deliver: deliver)
        }
        guard depth < Self.groupDepth else { return }
        for group in feed["groups"]?.arrayValue ?? [] {
            try take(group, into: &page, depth: depth + 1, deliver: deliver)
        }
    }

    // MARK: - Publications

    private func take(
        publication: JSONValue, deliver: (FeedItem) throws(SourceError) -> Void
    ) throws(SourceError) {
        let metadata = publication["metadata"]
        var entry = FeedEntry()
        entry.links = links(publication["links"]) + links(publication["images"]).map { $0.asCover }
        entry.id = metadata?["identifier"]?.stringValue?.trimmed ?? ""
        entry.title = (Self.text(metadata?["title"]) ?? "").onOneLine
        for (name, sortName) in Self.contributors(metadata?["author"]) { entry.take(author: name, sortName: sortName) }
        for subject in Self.list(metadata?["subject"]) {
            if let name = Self.text(subject["name"]) ?? Self.text(subject) ?? subject["code"]?.stringValue {
                entry.take(category: name)
            }
        }
        entry.description = Self.text(metadata?["description"]) ?? ""
        entry.language = Self.list(metadata?["language"]).first?.stringValue.flatMap { LanguageTag.tag($0) }
        entry.publisher = Self.contributors(metadata?["publisher"]).first?.name.onOneLine
        let series = Self.list(metadata?["belongsTo"]?["series"]).first
        entry.series = (Self.text(series?["name"]) ?? series.flatMap { Self.text($0) })?.onOneLine
        entry.seriesIndex = series?["position"]?.number
        entry.updatedAt = metadata?["modified"]?.stringValue.flatMap { Timestamp.seconds($0) }
        entry.take(identifier: entry.id)
        guard entry.isBook else { return }
        if let book = entry.book(locator: locator, preference: preference, isOnShelf: isOnShelf) {
            try deliver(.book(book))
        } else {
            try deliver(
                .skipped(key: entry.id.isEmpty ? nil : entry.id, reason: "the publication has no title"))
        }
    }

    /// A text, or the first of its translations: English, if there is one.
    private static func text(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text): text
        case .object(let translations): (translations["en"] ?? translations.members.first?.value)?.stringValue
        default: nil
        }
    }

    /// One value, or several.
    private static func list(_ value: JSONValue?) -> [JSONValue] {
        switch value {
        case nil, .null: []
        case .array(let values): values
        case .some(let value): [value]
        }
    }

    private static func contributors(_ value: JSONValue?) -> [(name: String, sortName: String?)] {
        list(value).compactMap { contributor in
            if let name = contributor.stringValue { return (name, nil) }
            return text(contributor["name"]).map { ($0, contributor["sortAs"]?.stringValue) }
        }
    }

    // MARK: - Links

    private func links(_ value: JSONValue?) -> [FeedLink] {
        (value?.arrayValue ?? []).compactMap { link in
            guard let reference = link["href"]?.stringValue?.trimmed, link["templated"]?.booleanValue != true,
                !reference.contains("{")
            else { return nil }
            var made = FeedLink(
                url: FeedLink.resolve(reference, against: base),
                relations: Self.list(link["rel"]).compactMap(\.stringValue), type: link["type"]?.stringValue)
            let properties = link["properties"]
            made.byteCount = (link["size"] ?? link["length"] ?? properties?["size"])?.integerValue.flatMap {
                $0 > 0 ? $0 : nil
            }
            made.isIndirect = properties?["indirectAcquisition"].map { !Self.list($0).isEmpty } ?? false
            if let state = properties?["availability"]?["state"]?.stringValue {
                made.isUnavailable = state != "available" && state != "ready"
            }
            if let amount = properties?["price"]?["value"]?.number {
                let currency = properties?["price"]?["currency"]?.stringValue
                made.price = currency.map { "\(amount) \($0)" } ?? "\(amount)"
            }
            return made
        }
    }
}

extension FeedLink {
    /// The link of a picture, which states no relation.
    fileprivate var asCover: FeedLink {
        FeedLink(url: url, relations: ["http://opds-spec.org/image"], type: mediaType)
    }
}

extension JSONValue {
    fileprivate var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number.isFinite ? number : nil
        case .string(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }
}
