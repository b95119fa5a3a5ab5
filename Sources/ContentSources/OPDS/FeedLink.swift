internal import HTTP

/// A link of a feed or of one of its entries.
struct FeedLink {
    /// Absolute.
    let url: String

    /// As they are written; empty where the link states none.
    let relations: [String]

    /// Without parameters, in lower case; `nil` where the link states none.
    let mediaType: String?

    /// The parameter `profile` of the type, in lower case.
    let profile: String?

    /// In bytes, as the feed claims it.
    var byteCount: Int64?

    /// Seconds since 1970.
    var modifiedAt: Int64?

    /// As it is written, for example `12.50 EUR`.
    var price: String?

    /// Whether what it leads to leads to the book in turn: a licence, a page, another entry.
    var isIndirect = false

    /// Whether the source says that it can't be had now.
    var isUnavailable = false

    /// The absolute URL that a reference means; what is no URL stays as it is, so that whoever needs it can say so.
    static func resolve(_ reference: String, against base: String) -> String {
        URLReference.resolve(reference, against: base) ?? reference
    }

    /// - Parameters:
    ///   - url: Absolute.
    ///   - relations: As they are written.
    ///   - type: A media type with its parameters; `nil` where there is none.
    init(url: String, relations: [String], type: String?) {
        self.url = url
        self.relations = relations
        let parts = (type ?? "").lowercased().split(separator: ";", omittingEmptySubsequences: false)
        let bare = parts.first.map { String($0).trimmed } ?? ""
        mediaType = bare.isEmpty ? nil : bare
        profile =
            parts.dropFirst().map { String($0).trimmed }.first { $0.hasPrefix("profile=") }
            .map { String($0.dropFirst("profile=".count)).filter { $0 != "\"" } }
    }

    func has(_ relation: String) -> Bool { relations.contains(relation) }
}

// MARK: - What it is for

extension FeedLink {
    /// How a book is come by.
    enum Acquisition {
        /// It is there to be had: bare, open access, lent, by subscription.
        case owned

        /// It has to be bought.
        case purchase
        case sample
    }

    /// OPDS 1.2, section 7.2; OPDS 2.0, section 5.2, which has short names for the same.
    var acquisition: Acquisition? {
        for relation in relations {
            let name =
                relation.hasPrefix(Self.acquisitionPrefix)
                ? String(relation.dropFirst(Self.acquisitionPrefix.count)) : relation
            switch name {
            case "/buy", "buy": return .purchase
            case "/sample", "sample", "/preview", "preview": return .sample
            case "", "/open-access", "/borrow", "/subscribe", "acquisition", "open-access", "borrow", "subscribe",
                "download":
                return .owned
            default: if relation.hasPrefix(Self.acquisitionPrefix) { return .owned }
            }
        }
        return nil
    }

    private static var acquisitionPrefix: String { "http://opds-spec.org/acquisition" }

    /// Whether it leads to a feed.
    var isFeed: Bool {
        mediaType == "application/atom+xml" || mediaType == "application/opds+json"
    }

    /// Whether it leads to what the person owns (OPDS 1.2, section 5.3).
    var isShelf: Bool { has("http://opds-spec.org/shelf") }

    /// Whether it leads to a feed of everything (OPDS 1.2, section 5.4).
    var isCrawlable: Bool { has("http://opds-spec.org/crawlable") }

    /// Whether it leads from one of a few books to the feed of all of them.
    var isGroup: Bool { has("collection") || has("http://opds-spec.org/group") }

    /// Whether a walk over the catalog follows it from an entry, where it leads to a feed.
    var isNavigation: Bool {
        guard isFeed, !relations.contains(where: Self.otherWays.contains) else { return false }
        return acquisition == nil
    }

    /// Relations of feeds that a walk would come to again, or that aren't part of the catalog.
    private static let otherWays: Set<String> = [
        "self", "start", "up", "search", "alternate", "related", "via", "next", "previous", "first", "last", "edit",
        "http://opds-spec.org/facet", "http://opds-spec.org/recommended", "replies", "license",
        "profile", "http://opds-spec.org/auth/document", "authenticate",
        "http://librarysimplified.org/terms/rel/revoke",
    ]

    /// Whether it leads to a picture of the cover, the larger ones first.
    var coverRank: Int? {
        for (rank, relation) in Self.covers.enumerated() where has(relation) { return rank }
        return nil
    }

    private static let covers = [
        "http://opds-spec.org/image", "http://opds-spec.org/cover", "x-stanza-cover-image", "cover",
        "http://opds-spec.org/image/thumbnail", "http://opds-spec.org/thumbnail", "x-stanza-cover-image-thumbnail",
    ]
}
