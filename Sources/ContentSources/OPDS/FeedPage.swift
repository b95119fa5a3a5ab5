internal import Shelf

/// What one page of a feed says of where to go on.
struct FeedPage {
    /// The links of the feed itself.
    var links: [FeedLink] = []

    /// The feeds that entries lead to, absolute, in document order.
    var navigation: [String] = []

    /// A shelf or a feed of everything that an entry leads to.
    var entryLinks: [FeedLink] = []

    /// How many feeds one page may lead to.
    static var maximumLinkCount: Int { 20_000 }

    mutating func take(_ link: FeedLink) {
        if links.count < Self.maximumLinkCount { links.append(link) }
    }

    /// Takes the feeds that an entry leads to; a book leads only to the feed of which it shows the beginning.
    mutating func takeNavigation(of entry: FeedEntry) {
        for link in entry.links {
            if link.isFeed, link.isShelf || link.isCrawlable, entryLinks.count < Self.maximumLinkCount {
                entryLinks.append(link)
            }
            let isWay = entry.isBook ? link.isNavigation && link.isGroup : link.isNavigation
            if isWay, navigation.count < Self.maximumLinkCount { navigation.append(link.url) }
        }
    }

    /// The next page of the same feed.
    var next: String? { links.first { $0.has("next") }?.url }
}

/// What the reader of a page hands on, in document order.
enum FeedItem {
    case book(BookRecord)

    /// An entry that can't be taken, with its key where it has one.
    case skipped(key: String?, reason: String)
}
