package import Catalog
internal import FUSE
package import Log
internal import Shelf

/// Performs the live announcements of a mount, in a process of its own.
///
/// FUSE raises no inotify event for what a file system changes by itself. So this makes and removes the names by system
/// calls on the mount; the worker takes them from this thread alone and answers without touching anything, and everybody
/// who watches is told by the kernel.
///
/// It may be killed at any instant: what it announces is on the board, and how far it came is there as well. An
/// announcement that was cut off is made again, which at worst finds it made.
package final class Announcer: Sendable {
    /// How many changes of one directory in a batch are announced; of more, the invalidation has to do.
    package static var maximumPerDirectory: Int { 500 }

    /// How many changes are looked at together: more than one transaction writes down, so that all of its changes to a
    /// directory are counted.
    private static var batchCount: Int { 25_000 }

    private let catalog: CatalogReaders
    private let board: AnnouncementBoard
    private let mount: any AnnouncedMount
    private let log: Log

    /// - Parameters:
    ///   - catalog: The catalog that is served.
    ///   - board: Of the mount.
    ///   - mount: Where the calls are made.
    ///   - log: For calls that fail.
    package init(catalog: CatalogReaders, board: AnnouncementBoard, mount: any AnnouncedMount, log: Log) {
        self.catalog = catalog
        self.board = board
        self.mount = mount
        self.log = log
    }

    /// Announces everything that the worker has invalidated and nobody has announced.
    ///
    /// To be called on the thread whose number is on the board.
    package func announceDue() {
        do throws(CatalogError) {
            while board.announcedAnchor < board.invalidatedAnchor {
                let anchor = board.announcedAnchor
                switch try catalog.changes(after: anchor, limit: Self.batchCount) {
                case .changes(let changes, let through):
                    announce(changes)
                    // Beyond what the worker has invalidated is no harm: the call itself tells the kernel.
                    board.announcedAnchor = through > anchor ? through : board.invalidatedAnchor
                case .expired: board.announcedAnchor = board.invalidatedAnchor
                }
            }
        } catch {
            log.error("changes could not be announced", ["reason": .public(error.reason)])
            board.announcedAnchor = board.invalidatedAnchor
        }
    }

    private func announce(_ changes: [Change]) {
        var counts: [DirectoryID: Int] = [:]
        for change in changes {
            if let directory = change.directory { counts[directory, default: 0] += 1 }
        }
        var paths: [DirectoryID: String] = [.root: ""]
        for change in changes {
            // The names of directories that have gone are in the changes alone; of those in others, nobody is told what they held.
            if case .directoryRemoved(let id, parent: .root, let name) = change { paths[id] = name }
        }
        for change in changes {
            guard let directory = change.directory, counts[directory, default: 0] <= Self.maximumPerDirectory else {
                continue
            }
            guard let path = paths[directory] ?? (try? catalog.path(of: directory)) ?? nil else { continue }
            paths[directory] = path
            announce(change, in: path)
        }
    }

    private func announce(_ change: Change, in path: String) {
        switch change {
        case .entryAdded(let directory, let name, let version):
            perform(.create, name, .version(version), in: directory, path)
        case .entryRemoved(let directory, let name, let version):
            perform(.remove, name, .version(version), in: directory, path)
        case .entryReplaced(let directory, let name, let version, let former):
            perform(.remove, name, .version(former), in: directory, path)
            perform(.create, name, .version(version), in: directory, path)
        case .directoryAdded(let id, let parent, let name): perform(.create, name, .directory(id), in: parent, path)
        case .directoryRemoved(let id, let parent, let name):
            perform(.remove, name, .directory(id), in: parent, path)
        case .attributes, .book: break
        }
    }

    private func perform(
        _ kind: AnnouncementBoard.Operation.Kind, _ name: String, _ node: InodeNumber, in directory: DirectoryID,
        _ directoryPath: String
    ) {
        // Only of a directory in the root the way there is shown to the announcer after it is gone.
        let directoryName = directoryPath.contains("/") ? "" : directoryPath
        board.publish(
            AnnouncementBoard.Operation(
                kind: kind, directory: InodeNumber.directory(directory).inode,
                directoryName: Array(directoryName.utf8), name: Array(name.utf8), inode: node.inode))
        defer { board.withdraw() }
        let path = directoryPath.isEmpty ? name : "\(directoryPath)/\(name)"
        let isDirectory = if case .directory = node { true } else { false }
        let failure =
            switch (kind, isDirectory) {
            case (.create, false): mount.makeFile(path)
            case (.create, true): mount.makeDirectory(path)
            case (.remove, false): mount.removeFile(path)
            case (.remove, true): mount.removeDirectory(path)
            }
        if let failure {
            log.debug(
                "a change was not announced to those who watch; listings show it all the same",
                ["path": .public(path), "errno": .public(Int(failure.rawValue))])
        }
    }
}

extension Change {
    /// The directory whose entries changed.
    fileprivate var directory: DirectoryID? {
        switch self {
        case .entryAdded(let directory, _, _), .entryRemoved(let directory, _, _),
            .entryReplaced(let directory, _, _, _):
            directory
        case .directoryAdded(_, let parent, _), .directoryRemoved(_, let parent, _): parent
        case .attributes, .book: nil
        }
    }
}
