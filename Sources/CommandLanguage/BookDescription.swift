package import JSON
package import Shelf
internal import Terminal

/// A book as commands describe it, the same everywhere.
package struct BookDescription: Hashable, Sendable {
    package var id: BookID
    package var title: String
    package var authors: [Author] = []

    /// By which the book is sorted among others.
    package var authorSort: String?
    package var categories: [String] = []
    package var series: String?
    package var seriesIndex: Double?

    /// A BCP 47 tag.
    package var language: String?
    package var isbn: String?
    package var publisher: String?
    package var description: String?
    package var isPurchased = false
    package var isSample = false

    /// Seconds since 1970, as all times here.
    package var purchasedAt: Int64?
    package var lastReadAt: Int64?

    /// The name of the source.
    package var source: String

    /// The last part of ``paths``, or what it would be; `nil` for a book without content.
    package var fileName: String?

    /// Relative to the mount; several where the book stands in several directories, none where it isn't shown.
    package var paths: [String] = []
    package var byteCount: Int64?
    package var sha256: String?
    package var modifiedAt: Int64?
    package var state: ContentState
    package var isPinned = false

    /// From 1 to 5.
    package var rating: Int?
    package var note: String?

    /// From 0 to 1.
    package var progress: Double?

    package init(id: BookID, title: String, source: String, state: ContentState) {
        self.id = id
        self.title = title
        self.source = source
        self.state = state
    }

    /// With every key, `null` where nothing is known.
    package var json: JSONValue { .object(members) }

    /// With the titles of its chapters, as `info` describes a book.
    package func json(contents: [String]) -> JSONValue {
        var members = members
        members["contents"] = JSONValue(contents)
        return .object(members)
    }

    private var members: JSONObject {
        [
            "id": .integer(id.rawValue),
            "title": .string(title),
            "author": .string(authors.joined),
            "authors": JSONValue(authors.map(\.name)),
            "authorSort": JSONValue(authorSort),
            "categories": JSONValue(categories),
            "series": JSONValue(series),
            "seriesIndex": JSONValue(seriesIndex),
            "language": JSONValue(language),
            "isbn": JSONValue(isbn),
            "publisher": JSONValue(publisher),
            "description": JSONValue(description),
            "isPurchased": .boolean(isPurchased),
            "isSample": .boolean(isSample),
            "purchasedAt": JSONValue(time: purchasedAt),
            "lastReadAt": JSONValue(time: lastReadAt),
            "source": .string(source),
            "fileName": JSONValue(fileName),
            "paths": JSONValue(paths),
            "byteCount": JSONValue(byteCount),
            "sha256": JSONValue(sha256),
            "modifiedAt": JSONValue(time: modifiedAt),
            "state": .string(state.rawValue),
            "isPinned": .boolean(isPinned),
            "rating": JSONValue(rating),
            "note": JSONValue(note),
            "progress": JSONValue(progress),
        ]
    }
}

extension JSONValue {
    /// An instant by ISO 8601 in UTC, or `null`.
    package init(time secondsSince1970: Int64?) {
        self.init(secondsSince1970.map(CivilTime.iso8601))
    }
}
