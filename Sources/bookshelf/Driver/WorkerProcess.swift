internal import Accounts
internal import BookFileSystem
internal import Catalog
internal import ContentCache
internal import ContentSources
internal import Control
internal import FUSE
internal import FileWatch
internal import Glibc
internal import HTTP
internal import Log
internal import Processes
internal import Settings
internal import SharedMemory
internal import Shelf
internal import Threads

/// The process that answers the kernel.
///
/// It may be killed at any instant: the next one goes on where it stopped.
enum WorkerProcess {
    /// How many requests are answered at a time.
    ///
    /// None of them waits, so more wouldn't make it faster.
    private static var threadCount: Int { 4 }

    /// Serves until the mount is gone.
    ///
    /// - Parameters:
    ///   - plan: Of the driver.
    ///   - part: What differs from one worker to the next.
    /// - Returns: The exit status.
    static func run(_ plan: DriverPlan, _ part: WorkerPart) -> Int32 {
        let log = plan.log(for: "worker")
        let heir = SupervisorHeir(of: part.supervisor, plan, log: log)
        do throws(WorkerFailure) {
            let worker = try Worker(plan, part, threadCount: threadCount, log: log)
            heir.keepWatch(worker.record)
            return worker.run(forgettingAll: part.servesAnother)
        } catch {
            log.error("the worker could not start", ["reason": .public(error.reason)])
            ReadySignal.send(error.reason, to: DriverDescriptor.ready)
            return 1
        }
    }
}

/// What differs from one worker of a mount to the next.
struct WorkerPart: Sendable {
    /// The number of the process that started it.
    let supervisor: Int32

    /// The first request of the mount, as the supervisor answered it.
    let initRequest: InitRequest

    /// Whether the kernel may be handed files to read by itself.
    let hasPassthrough: Bool

    /// What becomes of requests that a dead worker had read.
    var resent = ResentRequests.answered

    /// Whether the kernel knows what another catalog held.
    var servesAnother = false

    /// Whether another worker serves still, and this one is told when it no longer does.
    var waitsForTurn = false
}

/// Why a worker can't serve.
struct WorkerFailure: Error {
    let reason: String
}

/// All that a worker builds, wired together.
private final class Worker: Sendable {
    private let catalog: CatalogReaders
    private let cache: ContentCache
    private let board: AnnouncementBoard
    private let server: FileSystemServer
    private let follower: ChangeFollower
    private let pins: PinnedContent

    /// `nil` where nothing is synced by itself, or nothing can be watched.
    private let libraries: LibraryFollower?
    private let index: IndexFollower
    private let listener: ControlListener
    private let place: CatalogPlace
    let record: DriverRecord

    /// Open for the next supervisor also where nothing is passed through.
    private let backings: SharedRegion
    private let loop: TransferLoop
    private let log: Log

    init(_ plan: DriverPlan, _ part: WorkerPart, threadCount: Int, log: Log) throws(WorkerFailure) {
        self.log = log
        place = CatalogPlace(plan.catalog, log: log)
        let place = place
        // The serving threads, the follower, the control threads, the scrub, and those of the cache and of the pins; that of the
        // index asks rarely.
        catalog = try Self.wrap { () throws(CatalogError) in
            try DamagedCatalog.opened(plan.catalog, log: log) { () throws(CatalogError) in
                try CatalogReaders(path: plan.catalog, count: threadCount + 5)
            }
        }
        let catalog = catalog
        board = AnnouncementBoard(in: try Self.region(DriverDescriptor.board, AnnouncementBoard.wordCount))
        let openVersions = OpenVersions(
            SharedCounts(in: try Self.region(DriverDescriptor.openCounts, SharedCounts.wordCount)))
        loop = TransferLoop(
            CurlLibrary(), maximumTransferCount: plan.connections,
            objectStorage: ObjectStorage(
                endpointSetting: plan.objectStorageEndpoint, region: plan.objectStorageRegion))
        let trusts = SourceTrusts { () throws(CatalogError) in try catalog.sources() }
        let accounts = AccountSessions(
            AccountStore(path: plan.secrets, keyring: SessionKeyring(ofProfileIn: plan.dataDirectory)), loop: loop,
            permissions: PermissionFiles(in: plan.permissions), trust: { trusts.trust(in: $0) }, now: { Now.seconds },
            log: log)
        let transfers = SourceReachability(
            ContentTransfers(
                loop,
                timeouts: ContentTransfers.Timeouts(
                    connect: .milliseconds(plan.connectTimeout), stall: .milliseconds(plan.stallTimeout)),
                authority: accounts))
        let record = DriverRecord(in: try Self.region(DriverDescriptor.record, DriverRecord.wordCount))
        self.record = record
        // So far nothing of it touched what only the worker that serves may.
        if part.waitsForTurn { try Self.waitForTurn() }
        record.beginWorker()
        let shrunkSizes = ShrunkSizes()
        let content = MountedContent(
            catalogPath: plan.catalog, catalog: catalog, place: place, openVersions: openVersions,
            shrunkSizes: shrunkSizes, log: log)
        var settings = ContentCache.Settings()
        settings.limit = { [limit = plan.cacheLimit] in limit.byteCount(ofAvailable: $0) }
        settings.maximumAge = plan.cacheAge
        // The kernel of a new mount remembers nothing that an earlier worker gave out.
        settings.isFirstUse = board.invalidatedAnchor == SyncAnchor(rawValue: 0)
        settings.inPlace = InPlacePolicy(cachesLocalFiles: plan.cachesLocalFiles)
        settings.catalog = try Self.wrap { () throws(CatalogError) in try catalog.identity() }
        do throws(ContentCacheError) {
            cache = try ContentCache(
                at: plan.cacheDirectory, fetcher: transfers, client: content, settings: settings)
        } catch {
            throw WorkerFailure(reason: error.reason)
        }
        if cache.clearedFileCount > 0 {
            log.warning(
                "the cache held content of another catalog, which was removed",
                ["files": .public(cache.clearedFileCount), "path": .public(plan.cacheDirectory)])
        }
        let watch: DirectoryWatch
        do throws(DirectoryWatch.Failure) {
            watch = try DirectoryWatch(plan.dataDirectory, filesNamed: "catalog.db")
        } catch {
            throw WorkerFailure(reason: "\(plan.dataDirectory) can't be watched (error \(error.number))")
        }
        let releases = ReleaseQueue(wake: { watch.wake() })
        backings = try Self.region(DriverDescriptor.backings, BackingTable.wordCount)
        let passthrough = PassthroughBooks(
            kernel: BackingFiles(device: DriverDescriptor.device), table: BackingTable(in: backings),
            openVersions: openVersions, log: log)
        let tree = BookTree(
            catalog: catalog, cache: cache, board: board, openVersions: openVersions,
            passthrough: part.hasPassthrough ? passthrough : nil, shrunkSizes: shrunkSizes, releases: releases,
            owner: TreeOwner(
                userID: UInt32(plan.userID), groupID: UInt32(plan.groupID), mask: UInt16(plan.mask)),
            readDeadline: .milliseconds(plan.readDeadline), deniedPrograms: Set(plan.deniedPrograms),
            now: { Now.nanoseconds }, log: log)
        do throws(MountError) {
            server = try FileSystemServer(
                descriptor: DriverDescriptor.device, initRequest: part.initRequest, fileSystem: tree,
                threadCount: threadCount, resent: part.resent
            ) { thread, request in
                record.note(request: request, on: thread)
            }
        } catch {
            throw WorkerFailure(reason: error.description)
        }
        pins = PinnedContent(catalog: catalog, cache: cache, log: log)
        let pins = pins
        libraries = plan.syncInterval > 0 ? try? LibraryFollower(plan, catalog: catalog, log: log) : nil
        let libraries = libraries
        index = IndexFollower(catalogPath: plan.catalog, catalog: catalog, log: log)
        let index = index
        let superseded = SupersededContent(
            catalogPath: plan.catalog, catalog: catalog, cache: cache, openVersions: openVersions,
            releases: releases, log: log)
        let damaged = DamagedCatalog(path: plan.catalog, log: log)
        follower = ChangeFollower(
            catalog: catalog, board: board, watch: watch,
            kernel: KernelNotifications(
                server: server, cache: cache, shrunkSizes: shrunkSizes,
                advance: DriverDescriptor.advance),
            tidyUp: {
                trusts.reload()
                superseded.tidyUp()
                pins.wake()
                libraries?.wake()
                index.wake()
                damaged.lookAfter()
            }, standing: { place.look() }, log: log)
        content.link(server.notifier)
        let handler = DriverControl(
            plan: plan, supervisor: part.supervisor, catalog: catalog, cache: cache, place: place, record: record,
            reachability: transfers)
        do throws(ControlError) {
            listener = try ControlListener(
                try ListeningSocket(adopting: DriverDescriptor.socket), handler: handler, log: log)
        } catch {
            throw WorkerFailure(reason: error.reason)
        }
    }

    /// Serves until the mount is gone.
    ///
    /// - Parameter forgetsAll: Whether the kernel knows what another catalog held.
    /// - Returns: The exit status.
    func run(forgettingAll forgetsAll: Bool) -> Int32 {
        let isGoingOn = board.invalidatedAnchor != SyncAnchor(rawValue: 0)
        // The first worker of a mount begins with an empty kernel; a later one goes on where the last one stopped.
        if board.invalidatedAnchor == SyncAnchor(rawValue: 0), let anchor = try? catalog.anchor() {
            // In this order, so that there is never something to announce.
            board.announcedAnchor = anchor
            board.invalidatedAnchor = anchor
        }
        let follower = follower
        let scrub = ContentScrub(cache) { [catalog] id in try? catalog.content(id) }
        let following = WorkerThread(name: "follower") {
            // Like a worker that is killed, which may happen at any instant: what it had read is sent again.
            if follower.run(forgettingAll: forgetsAll) { _exit(CatalogPlace.replacedStatus) }
        }
        let pins = pins
        let pinning = WorkerThread(name: "pins") { pins.run() }
        let libraries = libraries
        let watching = WorkerThread(name: "libraries") { libraries?.run(isGoingOn: isGoingOn) }
        let index = index
        let indexing = WorkerThread(name: "index") { index.run() }
        listener.start()
        record.noteServing()
        ReadySignal.send(nil, to: DriverDescriptor.ready)
        let ending = server.run()
        pins.stop()
        libraries?.stop()
        index.stop()
        follower.stop()
        following.join()
        pinning.join()
        watching.join()
        indexing.join()
        _ = listener.stop()
        scrub.stop()
        cache.shutDown()
        loop.shutDown()
        if case .failed(let error) = ending {
            log.error("the device can't be read", ["errno": .public(Int(error.rawValue))])
            return 1
        }
        return 0
    }

    /// Says that nothing is in the way, and waits until the worker before is gone.
    private static func waitForTurn() throws(WorkerFailure) {
        ReadySignal.send(nil, to: DriverDescriptor.ready, isLast: false)
        var byte: UInt8 = 0
        guard unsafe read(DriverDescriptor.turn, &byte, 1) == 1 else {
            throw WorkerFailure(reason: "its turn did not come")
        }
        close(DriverDescriptor.turn)
    }

    private static func wrap<Success>(_ body: () throws(CatalogError) -> Success) throws(WorkerFailure) -> Success {
        do throws(CatalogError) { return try body() } catch { throw WorkerFailure(reason: error.reason) }
    }

    private static func region(_ descriptor: Int32, _ wordCount: Int) throws(WorkerFailure) -> SharedRegion {
        do throws(SharedMemoryError) {
            return try SharedRegion(descriptor: descriptor, wordCount: wordCount)
        } catch {
            throw WorkerFailure(reason: "shared memory: \(error)")
        }
    }
}
