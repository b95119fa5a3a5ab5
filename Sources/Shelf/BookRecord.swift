/// A book as a source states it, before the catalog has given it a number.
///
/// Text is as the source wrote it, converted to UTF-8 and with mark-up removed; names of files are made from it later.
package struct BookRecord: Hashable, Sendable {
    /// The source's own key; the same key in a later document is the same book.
    package var key: String

    /// Never empty.
    package var title: String
    package var authors: [Author] = []
    package var categories: [String] = []
    package var description: String?

    /// A BCP 47 tag, for example `zh-CN`.
    package var language: String?
    package var publisher: String?
    package var isbn: String?
    package var series: String?
    package var seriesIndex: Double?

    /// The table of contents, as titles of chapters in order.
    package var contents: [String] = []

    /// Absolute.
    package var coverURL: String?
    package var isPurchased = false
    package var isSample = false

    /// Seconds since 1970.
    package var purchasedAt: Int64?

    /// Seconds since 1970.
    package var lastReadAt: Int64?
    package var orderID: String?

    /// As the source wrote it, for example `12.50 EUR`.
    package var price: String?
    package var storeURL: String?

    /// `nil` for a book that the source lists without any content.
    package var content: ContentStatement?

    package init(key: String, title: String) {
        self.key = key
        self.title = title
    }
}

/// What a source says about the bytes of a book.
package struct ContentStatement: Hashable, Sendable {
    /// Absolute: `http`, `https` or `file`.
    package var url: String
    package var mediaType = "application/epub+zip"

    /// In bytes; `nil` where the source doesn't say.
    ///
    /// A hint, unless ``sha256`` stands beside it.
    package var byteCount: Int64?

    /// Of the whole content, 64 lower-case hexadecimal digits.
    package var sha256: String?

    /// When the content was last changed, in seconds since 1970.
    package var modifiedAt: Int64?

    package init(url: String) {
        self.url = url
    }
}

/// A record of a catalog document that was passed over.
package struct SkippedRecord: Hashable, Sendable {
    /// Counted from 1 in document order.
    package let number: Int

    /// The key of the book, where the record had one: the book of that key is left as it was, never revoked.
    package let key: String?

    /// What is wrong, in words for the person who keeps the catalog.
    package let reason: String

    package init(number: Int, key: String?, reason: String) {
        self.number = number
        self.key = key
        self.reason = reason
    }
}

/// What a reader of catalog documents hands on, one at a time and in document order.
package enum SourceRecord: Sendable {
    /// - Parameter number: Counted from 1 in document order.
    case book(BookRecord, number: Int)
    case skipped(SkippedRecord)
}
