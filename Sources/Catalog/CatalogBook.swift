package import Shelf

/// A book as the commands show it: what the source states, what is the reader's own, and where it stands.
package struct CatalogBook: Sendable {
    package let id: BookID
    package let source: String
    package let key: String
    package let title: String
    package let authors: [Author]
    package let categories: [String]
    package let description: String?
    package let language: String?
    package let publisher: String?
    package let isbn: String?
    package let series: String?
    package let seriesIndex: Double?
    package let contents: [String]
    package let coverURL: String?
    package let storeURL: String?
    package let isPurchased: Bool
    package let isSample: Bool

    /// Seconds since 1970.
    package let purchasedAt: Int64?

    /// Seconds since 1970.
    package let lastReadAt: Int64?
    package let isPinned: Bool

    /// The current version; `nil` where the source lists no content.
    package let version: VersionID?
    package let contentURL: String?
    package let mediaType: String

    /// In bytes; `nil` while it isn't known.
    package let byteCount: Int64?

    /// 64 lower-case hexadecimal digits; `nil` where the source doesn't say.
    package let sha256: String?

    /// Seconds since 1970; `nil` without content.
    package let modifiedAt: Int64?

    /// Where it stands, relative to the mount point, in the order of the directories; empty if it isn't shown.
    package let paths: [String]

    /// Its name without directories; `nil` if it isn't shown.
    package var fileName: String? {
        paths.first.map { path in
            path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        }
    }
}
