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
}
