package import Shelf

/// What stands under a name of the tree.
package enum Node: Sendable, Equatable {
    case directory(DirectoryAttributes)
    case book(VersionAttributes)
}

/// What the catalog knows of a directory.
package struct DirectoryAttributes: Sendable, Equatable {
    package let id: DirectoryID

    /// ``DirectoryID/root`` for the root itself.
    package let parent: DirectoryID

    /// When entries last came or went, in nanoseconds since 1970.
    package let modifiedAt: Int64

    /// When the directory itself last changed, in nanoseconds since 1970.
    package let changedAt: Int64

    /// How many directories stand in it.
    package let directoryCount: Int
}

/// What the catalog knows of a version, as far as stat(2) shows it.
package struct VersionAttributes: Sendable, Equatable {
    package let id: VersionID
    package let book: BookID

    /// In bytes.
    package let byteCount: Int64

    /// The content's own date, or when it was first seen, in seconds since 1970.
    package let modifiedAt: Int64

    /// When name, size or links last changed, in seconds since 1970.
    package let changedAt: Int64
}

/// An entry of a listing.
package enum ListedNode: Sendable, Equatable {
    case directory(DirectoryID)
    case book(VersionID)

    /// A book with its attributes, where they were asked for.
    case bookWithAttributes(VersionAttributes)

    /// A directory with its attributes, where they were asked for.
    case directoryWithAttributes(DirectoryAttributes)
}

extension DirectoryAttributes {
    /// A directory whose row is gone, for whoever has to name it once more.
    package static func former(_ id: DirectoryID) -> DirectoryAttributes {
        DirectoryAttributes(id: id, parent: .root, modifiedAt: 0, changedAt: 0, directoryCount: 0)
    }

    /// A directory that no row stands for: one of what a search finds.
    ///
    /// - Parameters:
    ///   - id: Means nothing to the catalog.
    ///   - modifiedAt: Nanoseconds since 1970.
    /// - Returns: Its attributes.
    package static func search(_ id: DirectoryID, modifiedAt: Int64) -> DirectoryAttributes {
        DirectoryAttributes(
            id: id, parent: .root, modifiedAt: modifiedAt, changedAt: modifiedAt, directoryCount: 0)
    }
}

extension VersionAttributes {
    /// A version whose row is gone, for whoever has to name it once more.
    package static func former(_ id: VersionID) -> VersionAttributes {
        VersionAttributes(id: id, book: BookID(rawValue: 0), byteCount: 0, modifiedAt: 0, changedAt: 0)
    }
}
