package import Catalog
internal import FUSE
package import FileWatch
package import Log
internal import Shelf
internal import Synchronization

/// Keeps what the kernel remembers in step with the catalog, whoever changed it.
///
/// Runs on a thread of its own: it waits for the kernel, which may wait for a request, so no serving thread may do this.
/// What it has told the kernel is on the board, where the announcer goes on from.
///
/// Lock order: none; it calls the kernel with nothing held.
package final class ChangeFollower: Sendable {
    /// How long after a write the catalog is asked, and asked again.
    ///
    /// A transaction counts only once it has told the other processes, in shared memory and behind its last write to a
    /// file: a look that comes in between sees the old state, and nothing tells of the new one.
    private static let looks: [Duration] = [.milliseconds(20), .milliseconds(100), .milliseconds(400), .seconds(1)]

    /// How long it waits where nothing happens.
    private static var idleTime: Duration { .seconds(60) }

    /// How long it waits for a catalog that is missing: of a directory made anew nothing is told.
    private static var missingTime: Duration { .seconds(1) }

    private let catalog: CatalogReaders
    private let board: AnnouncementBoard
    private let watch: DirectoryWatch
    private let kernel: any KernelCaches
    private let tidyUp: @Sendable () -> Void
    private let standing: @Sendable () -> CatalogStanding
    private let log: Log
    private let isStopped = Atomic<Bool>(false)

    /// - Parameters:
    ///   - catalog: The catalog that is served.
    ///   - board: Where the anchor is kept.
    ///   - watch: Of the files of the catalog.
    ///   - kernel: Told what changed.
    ///   - tidyUp: Called after every look at the catalog, and when a version was closed for the last time.
    ///   - standing: Asked before every look whether the catalog is in its place.
    ///   - log: For what can't be helped.
    package init(
        catalog: CatalogReaders, board: AnnouncementBoard, watch: DirectoryWatch, kernel: any KernelCaches,
        tidyUp: @escaping @Sendable () -> Void, standing: @escaping @Sendable () -> CatalogStanding = { .inPlace },
        log: Log
    ) {
        self.catalog = catalog
        self.board = board
        self.watch = watch
        self.kernel = kernel
        self.tidyUp = tidyUp
        self.standing = standing
        self.log = log
    }

    /// Follows the catalog until ``stop()``, or until another stands in its place; blocks the calling thread.
    ///
    /// - Parameter forgetsAll: Whether the kernel knows another catalog, of which nothing is true of this one.
    /// - Returns: Whether the catalog was replaced.
    package func run(forgettingAll forgetsAll: Bool = false) -> Bool {
        if forgetsAll { forgetAll() }
        var looks = Self.looks[...]
        while !isStopped.load(ordering: .acquiring) {
            let standing = standing()
            if standing == .replaced { return true }
            followOnce()
            if standing == .inPlace { tidyUp() }
            let idleTime = standing == .missing ? Self.missingTime : Self.idleTime
            switch watch.wait(atMost: looks.first ?? idleTime) {
            case .changed:
                looks = Self.looks[...]
                // A transaction writes many pages; one look behind them is enough.
                if let gatheringTime = looks.popFirst() { _ = watch.wait(atMost: gatheringTime) }
            case .timedOut: looks = looks.dropFirst()
            case .woken: break
            }
        }
        return false
    }

    /// Makes ``run()`` return soon.
    package func stop() {
        isStopped.store(true, ordering: .releasing)
        watch.wake()
    }

    /// Tells the kernel everything that changed since the anchor on the board.
    package func followOnce() {
        do throws(CatalogError) {
            while true {
                let anchor = board.invalidatedAnchor
                switch try catalog.changes(after: anchor) {
                case .changes(let changes, let through):
                    guard through > anchor else { return }
                    // A request that began before the change may still be answering with what was before.
                    kernel.waitForRequestsInProgress()
                    kernel.recheckFiles()
                    for change in changes { invalidate(change) }
                    board.invalidatedAnchor = through
                case .expired(let now):
                    kernel.waitForRequestsInProgress()
                    kernel.recheckFiles()
                    try invalidateAll()
                    board.invalidatedAnchor = now
                }
                kernel.didAdvance()
            }
        } catch {
            log.error("the catalog's changes could not be read", ["reason": .public(error.reason)])
        }
    }

    private func invalidate(_ change: Change) {
        switch change {
        case .entryAdded(let directory, let name, _), .entryRemoved(let directory, let name, _):
            forget(name, in: InodeNumber.directory(directory).inode)
        case .entryReplaced(let directory, let name, _, former: _):
            forget(name, in: InodeNumber.directory(directory).inode)
        case .directoryAdded(_, let parent, let name), .directoryRemoved(_, let parent, let name):
            forget(name, in: InodeNumber.directory(parent).inode)
        case .attributes(let version):
            kernel.invalidateAttributes(of: InodeNumber.version(version).inode)
        case .book: break
        }
    }

    private func forget(_ name: String, in directory: Inode) {
        kernel.invalidateEntry(name, in: directory)
        kernel.invalidateListing(of: directory)
    }

    /// Makes the kernel forget names, attributes and bytes by every number of the catalog.
    private func forgetAll() {
        do throws(CatalogError) {
            kernel.waitForRequestsInProgress()
            kernel.recheckFiles()
            var directories: [DirectoryID] = [.root]
            try catalog.forEachDirectory { directory, _, _ in directories.append(directory) }
            for directory in directories {
                var versions: [VersionID] = []
                try catalog.list(directory, after: 0, includesAttributes: false) { _, _, node in
                    if case .book(let id) = node { versions.append(id) }
                    return true
                }
                for version in versions { kernel.invalidateContent(of: InodeNumber.version(version).inode) }
            }
            try invalidateAll()
        } catch {
            log.error("the new catalog could not be read", ["reason": .public(error.reason)])
        }
    }

    /// Makes the kernel forget the whole tree: with the name of a directory it drops all that it knows below.
    private func invalidateAll() throws(CatalogError) {
        var directories: [Inode] = []
        var names: [String] = []
        try catalog.forEachDirectory { directory, parent, name in
            directories.append(InodeNumber.directory(directory).inode)
            if parent == .root { names.append(name) }
        }
        for directory in directories { kernel.invalidateListing(of: directory) }
        // Books may stand there as well.
        try catalog.list(.root, after: 0, includesAttributes: false) { _, name, node in
            if case .book = node, let name = name.validText { names.append(name) }
            return true
        }
        for name in names { kernel.invalidateEntry(name, in: .root) }
        kernel.invalidateListing(of: .root)
    }
}
