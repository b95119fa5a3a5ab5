/// The identity of the bytes of a book, and where they come from.
package struct ContentVersion: Hashable, Sendable {
    package let id: VersionID
    package let book: BookID

    /// For messages; never part of a path.
    package let title: String

    /// The name of the source, which bounds how many transfers run at a time.
    package let source: String

    /// Absolute: `http`, `https` or `file`.
    package let url: String
    package let mediaType: String

    /// The size that the tree shows, in bytes.
    package let byteCount: Int64

    /// Whether a size that the source states differently is an error rather than a correction: a hash stands beside it,
    /// or the source confirmed it before.
    package let isByteCountBinding: Bool

    /// The entity tag that the source had when it confirmed the size.
    package let confirmedETag: String?

    /// Of the whole content, 64 lower-case hexadecimal digits; `nil` where the source doesn't say.
    package let sha256: String?

    /// Whether a newer version has taken its place, or its book was revoked: served from disk to those who hold it open.
    package let isSuperseded: Bool

    /// Whether the source may be asked by plain http on other hosts than this one.
    package let allowsPlainHTTP: Bool

    package init(
        id: VersionID, book: BookID, title: String, source: String, url: String, mediaType: String, byteCount: Int64,
        isByteCountBinding: Bool, confirmedETag: String? = nil, sha256: String?, isSuperseded: Bool,
        allowsPlainHTTP: Bool
    ) {
        self.id = id
        self.book = book
        self.title = title
        self.source = source
        self.url = url
        self.mediaType = mediaType
        self.byteCount = byteCount
        self.isByteCountBinding = isByteCountBinding
        self.confirmedETag = confirmedETag
        self.sha256 = sha256
        self.isSuperseded = isSuperseded
        self.allowsPlainHTTP = allowsPlainHTTP
    }
}

/// Where the content of a book stands.
package enum ContentState: String, Sendable, CaseIterable {
    /// Listed with its size; no byte is on disk.
    case placeholder

    /// Some of its bytes are on disk.
    case partial

    /// Whole on disk and verified.
    case local

    /// There is no content, or it is of a kind that can't be offered.
    case unavailable

    /// The size isn't known yet, so it isn't in the tree.
    case unsized
}
