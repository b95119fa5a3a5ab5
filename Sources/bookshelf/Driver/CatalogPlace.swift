internal import BookFileSystem
internal import Catalog
internal import Glibc
internal import Log
internal import Synchronization

/// Where the catalog of a mount was opened, and whether it is there still.
///
/// A database that is open lives on without its name. A driver that went on with it would show for ever what no command
/// changes any more.
///
/// Lock order: `missingSince` is a leaf.
final class CatalogPlace: Sendable {
    /// The exit status of a worker whose catalog was replaced.
    static var replacedStatus: Int32 { 75 }

    private let path: String
    private let opened: Identity?
    private let log: Log

    /// In seconds since 1970; `nil` while the catalog is there.
    private let since = Mutex<Int64?>(nil)

    private struct Identity: Equatable {
        let device: UInt
        let inode: UInt

        init?(of path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            device = UInt(status.st_dev)
            inode = UInt(status.st_ino)
        }
    }

    /// Takes note of the file; to be called before it is opened, so that one that comes in between is found.
    init(_ path: String, log: Log) {
        self.path = path
        self.log = log
        opened = Identity(of: path)
    }

    /// Since when the catalog has been missing, in seconds since 1970; `nil` while it is there.
    var missingSince: Int64? { since.withLock { $0 } }

    /// Whether another catalog has the name.
    var isReplaced: Bool { isReplaced(by: Identity(of: path)) }

    private func isReplaced(by found: Identity?) -> Bool {
        // One that is just being made is no catalog yet.
        found != nil && found != opened && (try? CatalogReaders(path: path, count: 1)) != nil
    }

    /// Looks; what has changed is logged once.
    func look() -> CatalogStanding {
        let found = Identity(of: path)
        let (wasMissing, isMissing) = since.withLock { since in
            let wasMissing = since != nil
            since = found == nil ? since ?? Now.seconds : nil
            return (wasMissing, since != nil)
        }
        if isMissing {
            if !wasMissing {
                log.error(
                    "the catalog was removed while it was mounted; the mount shows what it held: put it back, or begin a new one by importing a document",
                    ["path": .public(path)])
            }
            return .missing
        }
        if found == opened { return .inPlace }
        guard isReplaced(by: found) else { return .missing }
        log.warning("the catalog was replaced by another; the mount shows that one now", ["path": .public(path)])
        return .replaced
    }
}
