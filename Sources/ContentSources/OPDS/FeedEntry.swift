internal import HTTP
internal import Shelf

/// An entry of a feed while its parts come in: a book, or a way to further feeds.
struct FeedEntry {
    var id = ""
    var title = ""
    var authors: [Author] = []
    var categories: [String] = []

    /// As it is written, which may be HTML.
    var description = ""
    var language: String?
    var publisher: String?
    var isbn: String?
    var series: String?
    var seriesIndex: Double?

    /// Seconds since 1970.
    var updatedAt: Int64?
    var links: [FeedLink] = []

    /// About how much was kept, in bytes.
    var keptByteCount = 0

    /// How much of one entry is kept, in bytes.
    static var byteLimit: Int { 8 << 20 }

    /// Whether it is a book rather than a way to further feeds.
    var isBook: Bool { links.contains { $0.acquisition != nil } }

    /// The book that the entry is.
    ///
    /// - Parameters:
    ///   - locator: Says what the feed may name.
    ///   - preference: The forms of EPUB, the preferred ones first.
    ///   - isOnShelf: Whether the feed is of what the person owns, so that what can be bought was bought.
    /// - Returns: `nil` if it has no title.
    func book(locator: ContentLocator, preference: [BookFormat], isOnShelf: Bool) -> BookRecord? {
        guard !title.isEmpty else { return nil }
        let key =
            id.isEmpty || id.utf8.count > 1_024
            ? StableKey.make(title: title, authors: authors.map(\.name), isbn: isbn) : id
        var book = BookRecord(key: key, title: title)
        book.authors = authors
        book.categories = categories
        let plain = DescriptionText.plain(description)
        book.description = plain.isEmpty ? nil : plain
        book.language = language
        book.publisher = publisher
        book.isbn = isbn
        book.series = series
        book.seriesIndex = seriesIndex
        let covers = links.compactMap { link in link.coverRank.map { (rank: $0, url: link.url) } }
        book.coverURL = covers.min { $0.rank < $1.rank }.flatMap { locator.cover($0.url) }

        let owned = links.filter { $0.acquisition == .owned || (isOnShelf && $0.acquisition == .purchase) }
        let sale = links.first { $0.acquisition == .purchase }
        book.price = sale?.price
        book.storeURL = sale.flatMap { locator.page($0.url) }
        if !owned.isEmpty {
            book.isPurchased = true
            book.content = content(of: owned, locator, preference)
        } else if let sample = content(of: links.filter { $0.acquisition == .sample }, locator, preference) {
            book.isSample = true
            book.content = sample
        }
        return book
    }

    /// The content that is preferred among those that can be offered; `nil` if none can: licences, other formats.
    private func content(
        of links: [FeedLink], _ locator: ContentLocator, _ preference: [BookFormat]
    ) -> ContentStatement? {
        var best: (rank: Int, content: ContentStatement)?
        for link in links where !link.isIndirect && !link.isUnavailable {
            guard let format = BookFormat(mediaType: link.mediaType, url: link.url),
                let place = locator.place(of: link.url).value
            else { continue }
            let rank = format.rank(in: preference)
            guard best.map({ rank < $0.rank }) ?? true else { continue }
            var content = ContentStatement(url: place.url)
            content.mediaType = format.mediaType
            content.byteCount = link.byteCount ?? place.byteCount
            content.modifiedAt = link.modifiedAt ?? place.modifiedAt ?? updatedAt
            best = (rank, content)
        }
        return best?.content
    }
}

extension FeedEntry {
    /// Takes an identifier, which may be that of the edition.
    mutating func take(identifier: String) {
        let text = identifier.trimmed
        let lower = text.lowercased()
        if lower.hasPrefix("urn:isbn:") {
            isbn = String(text.dropFirst("urn:isbn:".count))
        } else if lower.hasPrefix("isbn:") {
            isbn = String(text.dropFirst("isbn:".count))
        }
    }

    mutating func take(category: String) {
        let text = category.onOneLine
        if !text.isEmpty, !categories.contains(text), categories.count < 1_000 { categories.append(text) }
    }

    mutating func take(author: String, sortName: String? = nil) {
        let name = author.onOneLine
        guard !name.isEmpty, authors.count < 1_000, !authors.contains(where: { $0.name == name }) else { return }
        authors.append(Author(name: name, sortName: sortName?.onOneLine))
    }

    /// Adds a link to a place that may be relative.
    mutating func take(_ link: FeedLink) {
        if links.count < 1_000 { links.append(link) }
    }
}

extension String {
    /// This text trimmed, with each run of white space as one blank.
    var onOneLine: String {
        guard utf8.contains(where: { $0 < 0x20 || $0 == 0x20 }) else { return trimmed }
        return split(whereSeparator: \.isWhitespace).joined(separator: " ").trimmed
    }
}
