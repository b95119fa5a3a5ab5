package import Catalog
package import ContentCache
package import FUSE
package import Log
package import Shelf
internal import Synchronization

/// The catalog as a read-only tree: one directory for each category, one file for each book.
///
/// Every question but a read is answered from the catalog at once; a read that finds no bytes on disk is parked and
/// answered by the flight that brings them. Nothing is remembered between requests, so a worker that takes over
/// from a dead one answers for files that the last one opened.
///
/// Lock order: none of its own; the catalog's readers, the cache and the open counts each lock inside.
package final class BookTree: FileSystemOperations {
    /// How long the kernel may remember names and attributes: changes are told exactly, so nothing relies on it.
    static var validity: Duration { .seconds(86_400) }

    let catalog: CatalogReaders
    let cache: ContentCache
    let board: AnnouncementBoard
    let openVersions: OpenVersions
    let shrunkSizes: ShrunkSizes
    let readDeadline: Duration
    let deniedPrograms: Set<String>
    let log: Log
    let searches: SearchDirectories
    private let passthrough: PassthroughBooks?
    private let owner: TreeOwner
    private let releases: ReleaseQueue

    /// - Parameters:
    ///   - catalog: With a reader for each serving thread.
    ///   - cache: Where content comes from.
    ///   - board: What the announcer does now.
    ///   - openVersions: How many handles each version has, in memory that outlives this process.
    ///   - passthrough: Decides which books the kernel reads by itself; `nil` for none.
    ///   - shrunkSizes: Which contents the kernel takes for longer than they are.
    ///   - releases: Told of versions whose last handle has gone.
    ///   - owner: Of all files.
    ///   - readDeadline: How long a read waits for its bytes.
    ///   - deniedPrograms: The names of those that are refused what isn't on disk.
    ///   - searchFreshness: How long a directory of what a search finds is believed.
    ///   - now: Nanoseconds since 1970.
    ///   - log: For what the reading program can't be told.
    package init(
        catalog: CatalogReaders, cache: ContentCache, board: AnnouncementBoard, openVersions: OpenVersions,
        passthrough: PassthroughBooks? = nil, shrunkSizes: ShrunkSizes = ShrunkSizes(), releases: ReleaseQueue,
        owner: TreeOwner, readDeadline: Duration, deniedPrograms: Set<String> = [],
        searchFreshness: Duration = .seconds(1), now: @escaping @Sendable () -> Int64, log: Log
    ) {
        self.catalog = catalog
        self.cache = cache
        self.board = board
        self.openVersions = openVersions
        self.passthrough = passthrough
        self.shrunkSizes = shrunkSizes
        self.releases = releases
        self.owner = owner
        self.readDeadline = readDeadline
        self.deniedPrograms = deniedPrograms
        self.log = log
        searches = SearchDirectories(
            catalog: catalog, freshness: searchFreshness, takeNumber: { board.takeSearchNumber() }, now: now)
    }

    /// The number by which the kernel knows a version.
    package static func inode(of version: VersionID) -> Inode { InodeNumber.version(version).inode }

    /// The version that the kernel knows by a number; `nil` for what isn't one.
    package static func version(of inode: Inode) -> VersionID? {
        if case .version(let version)? = InodeNumber(inode) { version } else { nil }
    }

    // MARK: - Names

    package func lookup(_ name: Span<UInt8>, in parent: Inode, caller: Caller) throws(Errno) -> LookupAnswer {
        if let answer = try announcedLookup(name, in: parent, caller: caller) { return answer }
        if name.isDot { return .found(entry(try attributes(of: parent))) }
        if case .search(let number)? = InodeNumber(parent) { return try lookup(name, inSearch: number) }
        guard case .directory(let directory)? = InodeNumber(parent) else {
            if name.isDotDot, case .version? = InodeNumber(parent) { throw .notADirectory }
            throw InodeNumber(parent) == nil ? .staleHandle : .notADirectory
        }
        if name.isDotDot {
            let found = try answering { () throws(CatalogError) in try catalog.directory(directory) }
            guard let found else { throw .staleHandle }
            return .found(entry(try attributes(of: InodeNumber.directory(found.parent).inode)))
        }
        guard let text = name.validText else { return .absent(validity: Self.validity) }
        if directory == .root, text == Self.searchName {
            return .found(entry(try attributes(of: Self.searchRoot.inode)))
        }
        let node = try answering { () throws(CatalogError) in try catalog.lookup(text, in: directory) }
        // While announcements are due, a name that was taken for long would be in the way of its own.
        guard let node else { return .absent(validity: board.isAnnouncing ? .zero : Self.validity) }
        return .found(entry(attributes(of: node)))
    }

    package func attributes(of inode: Inode, caller: Caller) throws(Errno) -> AttributesAnswer {
        // What a search finds may be something else the next time.
        let validity: Duration = if case .search? = InodeNumber(inode) { .zero } else { Self.validity }
        return AttributesAnswer(try attributes(of: inode), validity: validity)
    }

    package func statistics() throws(Errno) -> FileSystemStatistics {
        let (byteCount, fileCount) = try answering { () throws(CatalogError) in try catalog.statistics() }
        let blockByteCount: UInt64 = 4_096
        return FileSystemStatistics(
            blockByteCount: blockByteCount, blockCount: (UInt64(byteCount) + blockByteCount - 1) / blockByteCount,
            freeBlockCount: 0, fileCount: UInt64(fileCount))
    }

    // MARK: - Files

    package func open(_ inode: Inode, flags: OpenFlags, caller: Caller) throws(Errno) -> OpenAnswer {
        guard case .version(let version)? = InodeNumber(inode) else { throw .isADirectory }
        let found = try answering { () throws(CatalogError) in try catalog.content(version) }
        guard let content = found else { throw .staleHandle }
        cache.recheck(version)
        let opening = try passthrough.map { passthrough throws(Errno) in try open(content, by: passthrough) }
        let count = opening?.count ?? openVersions.open(version)
        let isKeeping = cache.prepareToOpen(version, isAlone: count == 1)
        let handle = UInt64(version.rawValue)
        if let backing = opening?.backing { return OpenAnswer(handle: handle, options: .skipsFlush, backing: backing) }
        return OpenAnswer(handle: handle, options: isKeeping ? [.keepsCache, .skipsFlush] : [.skipsFlush])
    }

    private func open(
        _ content: ContentVersion, by passthrough: PassthroughBooks
    ) throws(Errno) -> PassthroughBooks.Opening {
        if let opening = passthrough.open(content.id, cache.openOwned(content)) { return opening }
        log.warning(
            "a book was damaged on disk while a program has it open; whoever opens it now gets it anew",
            ["book": .public(content.title), "id": .public(content.id.rawValue)])
        cache.renew(content.id)
        // The kernel looks the name up again, once, and may find the new number by then.
        throw .staleHandle
    }

    package func release(_ inode: Inode, handle: UInt64) {
        guard case .version(let version)? = InodeNumber(inode) else { return }
        if (passthrough?.close(version) ?? openVersions.close(version)) == 0 { releases.noteClosed(version) }
    }

    // MARK: - Attributes

    /// Turns what the catalog throws into an error number, and writes down what that number hides.
    func answering<Success>(_ body: () throws(CatalogError) -> Success) throws(Errno) -> Success {
        do throws(CatalogError) { return try body() } catch {
            log.error("the catalog could not answer a request of the kernel", ["reason": .public(error.reason)])
            throw Errno(error)
        }
    }

    func attributes(of inode: Inode) throws(Errno) -> Attributes {
        switch InodeNumber(inode) {
        case .directory(let id)?:
            let found = try answering { () throws(CatalogError) in try catalog.directory(id) }
            guard let found else { throw .staleHandle }
            return attributes(of: .directory(found))
        case .version(let id)?:
            let found = try answering { () throws(CatalogError) in try catalog.version(id) }
            guard let found else { throw .staleHandle }
            return attributes(of: .book(found))
        case .search(let number)?: return try attributes(ofSearch: number)
        case nil: throw .staleHandle
        }
    }

    func attributes(of node: Node) -> Attributes {
        switch node {
        case .directory(let directory):
            let modifiedAt = Timestamp(nanoseconds: directory.modifiedAt)
            return Attributes(
                inode: InodeNumber.directory(directory.id).inode, kind: .directory,
                // Not 0, which file managers take for an empty or special directory.
                permissions: owner.directoryPermissions, byteCount: 4_096,
                linkCount: UInt32(clamping: 2 + directory.directoryCount), userID: owner.userID, groupID: owner.groupID,
                modifiedAt: modifiedAt, changedAt: Timestamp(nanoseconds: directory.changedAt), accessedAt: modifiedAt)
        case .book(let version):
            let modifiedAt = Timestamp(seconds: version.modifiedAt)
            return Attributes(
                inode: InodeNumber.version(version.id).inode, kind: .regularFile,
                // One link however many names: `cp -a` would otherwise make hard links, which FAT has not.
                permissions: owner.filePermissions, byteCount: version.byteCount, linkCount: 1, userID: owner.userID,
                groupID: owner.groupID, modifiedAt: modifiedAt, changedAt: Timestamp(seconds: version.changedAt),
                accessedAt: modifiedAt)
        }
    }

    func entry(_ attributes: Attributes) -> Entry {
        Entry(
            attributes, entryValidity: board.isAnnouncing ? .zero : Self.validity, attributeValidity: Self.validity)
    }
}

extension Timestamp {
    /// - Parameter nanoseconds: Since 1970.
    fileprivate init(nanoseconds: Int64) {
        self.init(
            seconds: nanoseconds / 1_000_000_000, nanoseconds: Int32(truncatingIfNeeded: nanoseconds % 1_000_000_000))
    }
}

extension Span<UInt8> {
    var isDot: Bool { count == 1 && self[0] == UInt8(ascii: ".") }
    var isDotDot: Bool { count == 2 && self[0] == UInt8(ascii: ".") && self[1] == UInt8(ascii: ".") }

    /// The text that these bytes are in UTF-8; `nil` if they aren't: no name of the tree is so.
    var validText: String? {
        guard let utf8 = try? UTF8Span(validating: self) else { return nil }
        return String(copying: utf8)
    }
}
