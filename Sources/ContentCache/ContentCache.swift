package import Shelf
internal import Synchronization

/// Content on disk: verified files by version, brought when they are read first.
///
/// A read never waits: what is on disk is answered at once, everything else is kept and answered by the one flight of its
/// version when the bytes are there, or by the timer when its deadline has passed.
///
/// Lock order: `state`, `contents`, `unsecured` and the locks of ``OpenFiles``, ``DeadlineTimer``, ``DiskThread`` and
/// ``ContentJournal`` are each taken with none of the others held, but for `contents`, which is held while a file of the
/// cache is put in its place or removed. Completions, the fetcher and the closures given at init are called with none.
package final class ContentCache: Sendable {
    /// Takes the answer to a read: a file in which the range asked for can be read, or why not.
    package typealias Completion = @Sendable (Result<CachedFile, ContentError>) -> Void

    /// What differs between a driver and its tests.
    package struct Settings: Sendable {
        /// How many files are kept open.
        package var openFileCount = 256

        /// How many reads may wait.
        package var maximumWaitingCount = 512

        /// How long reads of a version fail with the error of its last flight, without another.
        package var failureMemory: Duration = .seconds(5)

        /// How long to wait before going on after a request broke off, once, twice and so on in a row.
        package var retryDelays: [Duration] = [.seconds(1), .seconds(2), .seconds(4)]

        /// How often what has come is written down for a later flight.
        package var saveInterval: Duration = .seconds(2)

        /// How much the cache may hold, in bytes, when so many bytes are free or held by it already.
        package var limit: @Sendable (_ availableByteCount: Int64) -> Int64 = { _ in .max }

        /// After how long without being read content goes; `nil` for never.
        package var maximumAge: Duration?

        /// How often the use of a content is written down.
        package var useInterval: Duration = .seconds(60)

        /// How much content is held in memory where the disk has no room, in bytes.
        package var memoryByteCount: Int64 = 64 << 20

        /// How the cache reaches its files.
        package var calls = FileCalls()

        /// Whether nobody can have read anything yet: the mount is new, or there is none.
        package var isFirstUse = true

        /// The identity of the catalog whose numbers the cache goes by, so that what belongs to another is removed first.
        ///
        /// `nil` to go by numbers alone.
        package var catalog: String?

        /// Which content isn't copied here.
        package var inPlace = InPlacePolicy.none

        /// How long after the start to look for what a killed process has left.
        package var leftoverDelay: Duration = .seconds(10)

        /// The clock of ``failureMemory``.
        package var now: @Sendable () -> SuspendingClock.Instant = { SuspendingClock().now }

        package init() {}
    }

    /// From so many bytes on, parts of a content are fetched by themselves, and what came is kept for a later flight.
    package static var rangeThreshold: Int64 { 4 << 20 }

    /// What downloads cost and what went wrong.
    package let journal = ContentJournal()

    /// How many files were removed at first because they belonged to another catalog.
    package let clearedFileCount: Int

    let client: any CacheClient
    let commits = DiskThread(name: "cache-commits")

    /// Waits for the disk, which nobody waits for who reads.
    let syncs = DiskThread(name: "cache-syncs")
    let directory: CacheDirectory
    let fetcher: any ContentFetcher
    let settings: Settings

    let openFiles: OpenFiles
    let memory: MemoryFiles
    let outdated: OutdatedPages
    let deadlines = DeadlineTimer()

    /// What serves content where it lies; `nil` where none is.
    let inPlace: InPlace?
    let state = Mutex(CacheState())
    let unverified: UnverifiedReads

    /// What is visible and perhaps not on the disk yet.
    let unsecured = Mutex<Set<VersionID>>([])

    /// What is on disk; held while a file is put there or removed.
    let contents = Mutex(Inventory())

    /// Opens a cache, which only the holder of its ``CacheLock`` may.
    ///
    /// - Parameters:
    ///   - path: Of its directory, which is made if need be.
    ///   - fetcher: Brings what isn't on disk.
    ///   - client: Whose content it is.
    ///   - settings: As for a driver.
    /// - Throws: ``ContentCacheError/unusable(path:reason:)``.
    package init(
        at path: String, fetcher: any ContentFetcher, client: any CacheClient, settings: Settings = Settings()
    ) throws(ContentCacheError) {
        directory = CacheDirectory(path: path, calls: settings.calls, catalog: settings.catalog)
        self.fetcher = fetcher
        self.client = client
        self.settings = settings
        inPlace = settings.inPlace.isUsed ? InPlace() : nil
        openFiles = OpenFiles(capacity: settings.openFileCount)
        memory = MemoryFiles(capacity: settings.memoryByteCount)
        outdated = OutdatedPages(knowsAll: settings.isFirstUse)
        try directory.prepare()
        clearedFileCount = try directory.takeOwnership()
        directory.removeAbandonedStages()
        unverified = UnverifiedReads(in: directory, isFirstUse: settings.isFirstUse)
        commits.run { [weak self] in self?.enforceLimits() }
        later(settings.leftoverDelay) { [weak self] in
            _ = self?.syncs.run { [weak self] in self?.secureLeftovers() }
        }
        watchAge()
    }

    /// Gives up all flights, answers everyone who waits with ``ContentError/interrupted``, and ends the cache's threads.
    ///
    /// - Parameter limit: How long to wait for the threads.
    /// - Returns: Whether they have ended.
    @discardableResult
    package func shutDown(atMost limit: Duration = .seconds(5)) -> Bool {
        let (flights, waiters) = state.withLock { $0.close() }
        for flight in flights { flight.giveUp(isKept: true) }
        answer(waiters, .failure(.interrupted))
        let isTimerOver = deadlines.stop(atMost: limit) && inPlace?.shutDown(atMost: limit) ?? true
        // In this order: what is committed last is still brought to the disk.
        let isCommitOver = commits.stop(atMost: limit)
        return syncs.stop(atMost: limit) && isCommitOver && isTimerOver
    }

    // MARK: - Reading

    /// Makes a range of a content readable.
    ///
    /// Returns at once. What is on disk is answered before it returns; the rest later, from a thread of the cache or of the
    /// fetcher. A flight outlives the reads that wait for it.
    ///
    /// - Parameters:
    ///   - version: As the catalog has it now.
    ///   - range: In bytes; beyond the end of the content it counts as reaching there.
    ///   - deadline: How long to wait.
    ///   - program: Who reads, for the journal.
    ///   - completion: Called exactly once, with nothing held.
    /// - Returns: A handle by which the read can be given up.
    @discardableResult
    package func read(
        _ version: ContentVersion, range: Range<Int64>, deadline: Duration, program: String,
        completion: @escaping Completion
    ) -> PendingRead {
        if let file = openLocal(version) {
            completion(.success(file))
            return PendingRead(cancelling: nil)
        }
        if unverified.isSpoiled(version.id) {
            completion(.failure(Flight.spoiledError))
            return PendingRead(cancelling: nil)
        }
        if let inPlace, let path = settings.inPlace.path(of: version) {
            return readInPlace(version, at: path, inPlace, deadline: deadline, completion: completion)
        }
        return wait(Waiter(reading: range, completion), for: version, atMost: deadline, program)
    }

    /// Makes the whole of a content local, whatever became of the last flight.
    ///
    /// - Parameters:
    ///   - version: As the catalog has it now.
    ///   - program: Who asks, for the journal.
    ///   - progress: Told how many bytes have come, and of how many, from a thread of the fetcher, which it must not hold.
    ///   - completion: Called exactly once, with nothing held; at once if the content is local.
    /// - Returns: A handle by which the caller can stop waiting; the flight goes on.
    @discardableResult
    package func fetch(
        _ version: ContentVersion, program: String = "bookshelf",
        progress: @escaping @Sendable (_ byteCount: Int64, _ total: Int64) -> Void = { _, _ in },
        completion: @escaping Completion
    ) -> PendingRead {
        if let file = openOnDisk(version) {
            if isSecured(version.id) {
                completion(.success(file))
            } else {
                // The disk may not take it; then it is tried once more.
                whenSecured(version.id) { [weak self] in
                    guard let self else { return completion(.failure(.interrupted)) }
                    fetch(version, program: program, progress: progress, completion: completion)
                }
            }
            return PendingRead(cancelling: nil)
        }
        if let inPlace, let path = settings.inPlace.path(of: version) {
            return readInPlace(version, at: path, inPlace, deadline: nil, completion: completion)
        }
        // Whatever room there is: that may change, and is told apart when it comes to it.
        if version.byteCount > settings.limit(.max), !client.isPinned(version.id) {
            // It would go again at once, and every try would cost the whole transfer.
            let reason = "it is larger than cache.max-size, so that it would not stay on disk"
            completion(.failure(.noRoom(reason: reason)))
            return PendingRead(cancelling: nil)
        }
        return wait(Waiter(fetching: completion, progress), for: version, atMost: nil, program)
    }

    /// Answers someone now, or lets him wait for the flight of a content, which is started if there is none.
    private func wait(
        _ waiter: Waiter, for version: ContentVersion, atMost deadline: Duration?, _ program: String
    ) -> PendingRead {
        let admission = state.withLock { state in
            state.admit(waiter, for: version, limits: settings) {
                Flight(version, for: program, isUrgent: waiter.isReader, in: self)
            }
        }
        switch admission {
        case .answered(let outcome):
            waiter.completion(outcome)
            return PendingRead(cancelling: nil)
        case .arrived(let content):
            unverified.note(version.id, content)
            waiter.completion(.success(content.file))
            return PendingRead(cancelling: nil)
        case .waits(let id, let flight, let isFirst):
            if let deadline {
                deadlines.set(id, after: deadline) { [weak self] in self?.expire(id, of: version, after: deadline) }
                // It may have been answered before its deadline was set.
                if state.withLock({ !$0.isWaiting(id, for: version.id) }) { deadlines.clear(id) }
            }
            if isFirst { start(flight) } else if waiter.isReader { flight.seek() }
            return PendingRead { [weak self] in self?.withdraw(id, of: version.id, with: .interrupted) }
        }
    }

    /// The file of a content that is whole here, checked by its size and date; `nil` otherwise.
    ///
    /// A file that isn't as it was left is removed.
    package func openLocal(_ version: ContentVersion) -> CachedFile? {
        if let file = openOnDisk(version) { return file }
        guard let file = memory[version.id], fits(file, version) else { return nil }
        return file
    }

    /// As ``openLocal(_:)``, unless it is in memory only.
    package func openOnDisk(_ version: ContentVersion) -> CachedFile? {
        if let inPlace, settings.inPlace.path(of: version) != nil { return openInPlace(version, inPlace) }
        if let file = openFiles[version.id] {
            if file.isIntact, fits(file, version) {
                file.noteUse(atMostEvery: settings.useInterval)
                return file
            }
            openFiles.remove(version.id)
        }
        let path = directory.bookPath(of: version.id)
        guard let descriptor = try? Descriptor(openingForReading: path, by: settings.calls) else { return nil }
        let found: ContentRecord?
        // Only what certainly isn't right is removed: there may be no descriptor left, or the disk may fail.
        do throws(SystemError) { found = try directory.readRecord(of: version.id) } catch { return nil }
        guard let stamp = FileStamp(descriptor: descriptor.number), let record = found, record.fits(stamp) else {
            discard(version.id, FileStamp(descriptor: descriptor.number))
            return nil
        }
        let file = CachedFile(descriptor, stamp, sha256: record.sha256)
        guard fits(file, version) else {
            discard(version.id, stamp)
            return nil
        }
        file.noteUse(atMostEvery: settings.useInterval)
        openFiles.insert(file, for: version.id)
        return file
    }

    /// Whether a whole file is what the catalog says by now.
    private func fits(_ file: CachedFile, _ version: ContentVersion) -> Bool {
        if let sha256 = version.sha256, sha256 != file.sha256 { return false }
        return file.byteCount == version.byteCount
    }

    // MARK: - Flights

    private func start(_ flight: Flight) {
        journal.begin(for: flight.program)
        // The flight before may have landed between the look at the disk and the look at the flights.
        if let file = state.withLock({ $0.isRead(flight.version.id) })
            ? openLocal(flight.version) : openOnDisk(flight.version)
        {
            land(flight, .success(file), isSpoiled: false)
            return
        }
        if takeRoom(for: flight.version.id, max(0, flight.version.byteCount)) { return flight.begin() }
        commits.run { flight.findRoom() }
    }

    func nextID() -> UInt64 { state.withLock { $0.nextID() } }

    func awaitedRanges(of flight: Flight) -> [Range<Int64>] { state.withLock { $0.awaitedRanges(of: flight) } }

    func noteRetry(of flight: Flight, after error: ContentError) {
        state.withLock { $0.noteRetry(of: flight, after: error) }
    }

    /// Calls `action` later, unless the cache is closed before.
    func later(_ delay: Duration, _ action: @escaping @Sendable () -> Void) {
        deadlines.set(nextID(), after: delay, action)
    }

    /// Lets readers have what has come of a flight.
    func open(_ flight: Flight, _ content: ArrivingContent) {
        var content = content
        // Who read of it before this flight, or before this process, may have read anything.
        if unverified.isKnown(flight.version.id) { content.givenEnd = content.byteCount }
        state.withLock { $0.open(flight, content) }
        post(flight, stagedByteCount: content.arrived.byteCount, new: nil)
    }

    /// Takes back what came from `offset` on.
    ///
    /// - Returns: Whether nobody has read any of it.
    func takeBack(_ flight: Flight, from offset: Int64) -> Bool {
        state.withLock { $0.takeBack(flight, from: offset) }
    }

    /// Lets readers have what has come of a flight from another file.
    func replaceFile(of flight: Flight, with file: CachedFile) {
        let version = flight.version
        let keptBack = keptBack(of: version, byteCount: file.byteCount)
        state.withLock { $0.replaceFile(of: flight, with: file, keptBack) }
    }

    /// Answers the reads for which enough has come.
    func post(_ flight: Flight, stagedByteCount: Int64, new: Range<Int64>?) {
        let news = state.withLock { $0.post(flight, stagedByteCount: stagedByteCount, new: new) }
        for watcher in news.watchers { watcher(stagedByteCount, flight.version.byteCount) }
        guard let content = news.content, !news.waiters.isEmpty else { return }
        unverified.note(flight.version.id, content)
        answer(news.waiters, .success(content.file))
    }

    /// Ends a flight and answers all who wait for it.
    ///
    /// - Parameters:
    ///   - flight: Which one.
    ///   - outcome: What they get.
    ///   - isSpoiled: Whether bytes were given out to which nothing may be added any more.
    func land(_ flight: Flight, _ outcome: Result<CachedFile, ContentError>, isSpoiled: Bool) {
        let error: ContentError? = if case .failure(let error) = outcome { error } else { nil }
        if state.withLock({ $0.isCurrent(flight) }) {
            settleStage(of: flight.version.id)
            memory.cancel(flight.version.id)
        }
        journal.end(flight.version, error)
        let waiters = state.withLock { state in
            state.land(flight, error, rememberUntil: settings.now() + settings.failureMemory)
        }
        if isSpoiled {
            unverified.spoil(flight.version.id)
            outdated.insert(flight.version.id)
        }
        guard let waiters else {
            // It was given up because the content is gone from the catalog.
            if error == nil { removeFiles(of: flight.version.id) }
            return
        }
        guard case .success = outcome else { return answer(waiters, outcome) }
        answer(waiters.filter(\.isReader), outcome)
        let others = waiters.filter { !$0.isReader }
        guard !others.isEmpty else { return }
        whenSecured(flight.version.id) { [weak self] in
            guard let self else { return }
            let lack = ContentError.broken(reason: "the disk did not take it")
            answer(others, openLocal(flight.version).map { .success($0) } ?? .failure(lack))
        }
    }

    private func expire(_ id: UInt64, of version: ContentVersion, after deadline: Duration) {
        let late = ContentError.timedOut(
            reason: "the source did not deliver within \(deadline); what came meanwhile is kept")
        let until = settings.now() + settings.failureMemory
        let (waiter, error, idle) = state.withLock { state -> (Waiter?, ContentError, Flight?) in
            let error = state.retriedError(of: version.id) ?? late
            let waiter = state.expire(id, from: version.id, with: error, rememberUntil: until)
            return (waiter, error, waiter.flatMap { state.idleFlight(of: version.id, since: $0) })
        }
        guard let waiter else { return }
        if idle == nil { journal.note(error, of: version) }
        answer([waiter], .failure(error))
        // Its connection is better used for those who wait for something else of that source.
        idle?.fail(error, isUnfit: false)
    }

    private func withdraw(_ id: UInt64, of version: VersionID, with error: ContentError) {
        guard let waiter = state.withLock({ $0.remove(id, from: version) }) else { return }
        answer([waiter], .failure(error))
    }

    func answer(_ waiters: [Waiter], _ outcome: Result<CachedFile, ContentError>) {
        for waiter in waiters {
            if waiter.isReader { deadlines.clear(waiter.id) }
            if case .success(let file) = outcome, file.isInMemory, !waiter.isReader {
                waiter.completion(
                    .failure(.noRoom(reason: "there is room for it in memory only, for who reads it now")))
            } else {
                waiter.completion(outcome)
            }
        }
    }
}
