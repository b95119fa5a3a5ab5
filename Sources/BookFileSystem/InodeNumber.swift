internal import FUSE
internal import Shelf

/// What an inode number of the tree stands for.
///
/// A number is a row of the catalog and a kind in its lowest four bits, so nothing is remembered for it: it is the same
/// after a restart, and programs of 32 bits can hold that of a million books.
enum InodeNumber: Hashable {
    case directory(DirectoryID)
    case version(VersionID)

    /// A directory of what a search finds, by a number of this mount; 0 for the one that all of them stand in.
    case search(Int64)

    /// The kinds, as the lowest four bits say them.
    ///
    /// 4 and 5 are kept for files that are made beside a book.
    private enum Kind {
        static var directory: UInt64 { 1 }
        static var version: UInt64 { 2 }
        static var search: UInt64 { 3 }
    }

    /// - Returns: `nil` for a number that this program never gave.
    init?(_ inode: Inode) {
        let row = Int64(inode.rawValue >> 4)
        switch inode.rawValue & 0xF {
        case Kind.directory: self = .directory(DirectoryID(rawValue: row))
        case Kind.version: self = .version(VersionID(rawValue: row))
        case Kind.search: self = .search(row)
        default: return nil
        }
    }

    var inode: Inode {
        switch self {
        case .directory(let id): Inode(rawValue: UInt64(id.rawValue) << 4 | Kind.directory)
        case .version(let id): Inode(rawValue: UInt64(id.rawValue) << 4 | Kind.version)
        case .search(let number): Inode(rawValue: UInt64(number) << 4 | Kind.search)
        }
    }
}
