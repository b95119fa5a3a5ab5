/// The number of a book in the catalog: the row id in `book`, never used again for another book.
package struct BookID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    package static func < (left: BookID, right: BookID) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The number of a content version: the row id in `version`, never used again for other bytes.
///
/// A new edition of a book is a new version. The cache names its files by this number, and the inode of a book is
/// made from it, so nothing that was opened under one number can ever show bytes of another.
package struct VersionID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    package static func < (left: VersionID, right: VersionID) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The number of a directory of the tree: the row id in `directory`; ``root`` is 0.
package struct DirectoryID: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// The directory at the mount point.
    package static var root: DirectoryID { DirectoryID(rawValue: 0) }
}
