internal import SQLite
package import Shelf

/// What changed in the catalog, as one of those who follow it needs to know it.
package enum Change: Hashable, Sendable {
    /// A name of a book appeared in a directory.
    case entryAdded(DirectoryID, name: String, VersionID)

    /// A name of a book went from a directory.
    case entryRemoved(DirectoryID, name: String, VersionID)

    /// A name of a book stands for a new edition now.
    case entryReplaced(DirectoryID, name: String, VersionID, former: VersionID)
    case directoryAdded(DirectoryID, parent: DirectoryID, name: String)
    case directoryRemoved(DirectoryID, parent: DirectoryID, name: String)

    /// The size or a time of a version was corrected.
    case attributes(VersionID)

    /// What a source states about a book changed, or the book came or went.
    case book(BookID)

    /// How the history names ``book(_:)``.
    static var bookKind: Int64 { Kind.book }

    private enum Kind {
        static var entryAdded: Int64 { 1 }
        static var entryRemoved: Int64 { 2 }
        static var entryReplaced: Int64 { 3 }
        static var directoryAdded: Int64 { 4 }
        static var directoryRemoved: Int64 { 5 }
        static var attributes: Int64 { 6 }
        static var book: Int64 { 7 }
    }

    /// The columns what, directory, name, target and former of `change`.
    var values: [Value] {
        switch self {
        case .entryAdded(let directory, let name, let version):
            [.integer(Kind.entryAdded), .integer(directory.rawValue), .text(name), .integer(version.rawValue), .null]
        case .entryRemoved(let directory, let name, let version):
            [.integer(Kind.entryRemoved), .integer(directory.rawValue), .text(name), .integer(version.rawValue), .null]
        case .entryReplaced(let directory, let name, let version, let former):
            [
                .integer(Kind.entryReplaced), .integer(directory.rawValue), .text(name), .integer(version.rawValue),
                .integer(former.rawValue),
            ]
        case .directoryAdded(let directory, let parent, let name):
            [
                .integer(Kind.directoryAdded), .integer(parent.rawValue), .text(name), .integer(directory.rawValue),
                .null,
            ]
        case .directoryRemoved(let directory, let parent, let name):
            [
                .integer(Kind.directoryRemoved), .integer(parent.rawValue), .text(name), .integer(directory.rawValue),
                .null,
            ]
        case .attributes(let version): [.integer(Kind.attributes), .null, .null, .integer(version.rawValue), .null]
        case .book(let book): [.integer(Kind.book), .null, .null, .integer(book.rawValue), .null]
        }
    }

    /// Reads a change; `nil` for a kind that a newer program wrote.
    ///
    /// - Parameters:
    ///   - row: Has the columns of ``values``.
    ///   - column: The first of them.
    init?(_ row: borrowing Row, from column: CInt) {
        let directory = DirectoryID(rawValue: row.integer(at: column + 1))
        let name = row.text(at: column + 2)
        let target = row.integer(at: column + 3)
        switch row.integer(at: column) {
        case Kind.entryAdded: self = .entryAdded(directory, name: name, VersionID(rawValue: target))
        case Kind.entryRemoved: self = .entryRemoved(directory, name: name, VersionID(rawValue: target))
        case Kind.entryReplaced:
            self = .entryReplaced(
                directory, name: name, VersionID(rawValue: target),
                former: VersionID(rawValue: row.integer(at: column + 4)))
        case Kind.directoryAdded:
            self = .directoryAdded(DirectoryID(rawValue: target), parent: directory, name: name)
        case Kind.directoryRemoved:
            self = .directoryRemoved(DirectoryID(rawValue: target), parent: directory, name: name)
        case Kind.attributes: self = .attributes(VersionID(rawValue: target))
        case Kind.book: self = .book(BookID(rawValue: target))
        default: return nil
        }
    }
}

/// A position in the change history.
package struct SyncAnchor: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    package static func < (left: SyncAnchor, right: SyncAnchor) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// What happened since an anchor.
package enum ChangeBatch: Sendable {
    /// The changes in order, and the anchor behind the last of them.
    case changes([Change], through: SyncAnchor)

    /// The history no longer reaches back that far: enumerate anew, then go on from here.
    case expired(now: SyncAnchor)
}
