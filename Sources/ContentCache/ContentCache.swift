package import Shelf
internal import Synchronization

/// Content on disk: verified files by version, brought when they are read first.
///
/// A read never waits: what is on disk is answered at once, everything else is kept and answered by the one flight of its
/// version when the bytes are there, or by the timer when its deadline has passed.
///
/// Lock order: `state`, `contents` and the locks of ``OpenFiles``, ``DeadlineTimer``, ``CommitThread`` and
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

        /// The clock of ``failureMemory``.
        package var now: @Sendable () -> SuspendingClock.Instant = { SuspendingClock().now }

        package init() {}
    }

    /// As many bytes at the end of a content are read by nobody before the whole is verified.
    package static var keptBackByteCount: Int64 { 4_096 }

    /// What downloads cost and what went wrong.
    package let journal = ContentJournal()

    let sizeCorrection: @Sendable (VersionID, Int64) -> Bool
    let commits = CommitThread()

    private let directory: CacheDirectory
    private let fetcher: any ContentFetcher
    private let isOpen: @Sendable (VersionID) -> Bool
    private let settings: Settings
    private let openFiles: OpenFiles
    private let deadlines = DeadlineTimer()
    private let state = Mutex(CacheState())

    /// How much is in the content directory, once somebody has counted; held while a file is put there or removed.
    private let contents = Mutex<Usage?>(nil)

    /// How much a cache holds.
    package struct Usage: Sendable, Equatable {
        package var byteCount: Int64
        package var fileCount: Int

        package init(byteCount: Int64 = 0, fileCount: Int = 0) {
            self.byteCount = byteCount
            self.fileCount = fileCount
        }
    }

    /// Opens a cache, which only the holder of its ``CacheLock`` may.
    ///
    /// - Parameters:
    ///   - path: Of its directory, which is made if need be.
    ///   - fetcher: Brings what isn't on disk.
    ///   - settings: As for a driver.
    ///   - sizeCorrection: Takes the true size of a version whose declared size didn't bind, before the first byte is given
    ///     out, and says whether it is now what the tree shows; `false` fails the flight.
    ///   - isOpen: Whether somebody has a version open, so that it isn't evicted.
    /// - Throws: ``ContentCacheError/unusable(path:reason:)``.
    package init(
        at path: String, fetcher: any ContentFetcher, settings: Settings = Settings(),
        sizeCorrection: @escaping @Sendable (VersionID, Int64) -> Bool,
        isOpen: @escaping @Sendable (VersionID) -> Bool
    ) throws(ContentCacheError) {
        directory = CacheDirectory(path: path)
        self.fetcher = fetcher
        self.settings = settings
        self.sizeCorrection = sizeCorrection
        self.isOpen = isOpen
        openFiles = OpenFiles(capacity: settings.openFileCount)
        try directory.prepare()
        directory.removeAbandonedStages()
    }

    /// Gives up all flights, answers everyone who waits with ``ContentError/interrupted``, and ends the cache's threads.
    ///
    /// - Parameter limit: How long to wait for the threads.
    /// - Returns: Whether they have ended.
    @discardableResult
    package func shutDown(atMost limit: Duration = .seconds(5)) -> Bool {
        let (transfers, waiters) = state.withLock { $0.close() }
        for transfer in transfers { transfer.cancel() }
        answer(waiters, .failure(.interrupted))
        let isTimerOver = deadlines.stop(atMost: limit)
        return commits.stop(atMost: limit) && isTimerOver
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
        let waiter = Waiter(reading: range, completion)
        let admission = state.withLock { state in
            state.admit(waiter, for: version, limits: settings) { Flight(version, for: program, in: self) }
        }
        guard case .waits(let id, let isFirst) = admission else {
            if case .answered(let outcome) = admission { completion(outcome) }
            return PendingRead(cancelling: nil)
        }
        deadlines.set(id, after: deadline) { [weak self] in self?.expire(id, of: version, after: deadline) }
        // It may have been answered before its deadline was set.
        if state.withLock({ !$0.isWaiting(id, for: version.id) }) { deadlines.clear(id) }
        if let flight = isFirst { start(flight, isUrgent: true) }
        return PendingRead { [weak self] in self?.withdraw(id, of: version.id, with: .interrupted) }
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
        if let file = openLocal(version) {
            completion(.success(file))
            return PendingRead(cancelling: nil)
        }
        let waiter = Waiter(fetching: completion, progress)
        let admission = state.withLock { state in
            state.admit(waiter, for: version, limits: settings) { Flight(version, for: program, in: self) }
        }
        guard case .waits(let id, let isFirst) = admission else {
            if case .answered(let outcome) = admission { completion(outcome) }
            return PendingRead(cancelling: nil)
        }
        if let flight = isFirst { start(flight, isUrgent: false) }
        return PendingRead { [weak self] in self?.withdraw(id, of: version.id, with: .interrupted) }
    }

    /// The file of a content that is whole on disk, checked by its size and date; `nil` otherwise.
    ///
    /// A file that isn't as it was left is removed.
    package func openLocal(_ version: ContentVersion) -> CachedFile? {
        if let file = openFiles[version.id] {
            if file.isIntact, fits(file, version) { return file }
            openFiles.remove(version.id)
        }
        let path = directory.bookPath(of: version.id)
        guard let descriptor = try? Descriptor(openingForReading: path) else { return nil }
        guard let stamp = FileStamp(descriptor: descriptor.number), let record = directory.record(of: version.id),
            record.fits(stamp)
        else {
            discard(version.id, FileStamp(descriptor: descriptor.number))
            return nil
        }
        let file = CachedFile(descriptor, stamp, sha256: record.sha256)
        guard fits(file, version) else {
            discard(version.id, stamp)
            return nil
        }
        openFiles.insert(file, for: version.id)
        return file
    }

    /// Whether a whole file is what the catalog says by now.
    private func fits(_ file: CachedFile, _ version: ContentVersion) -> Bool {
        if let sha256 = version.sha256, sha256 != file.sha256 { return false }
        return file.byteCount == version.byteCount
            || (!version.isSizeBinding && sizeCorrection(version.id, file.byteCount))
    }

    // MARK: - Flights

    private func start(_ flight: Flight, isUrgent: Bool) {
        journal.begin(for: flight.program)
        // The flight before may have landed between the look at the disk and the look at the flights.
        if let file = openLocal(flight.version) {
            land(flight, .success(file))
            return
        }
        let transfer = fetcher.fetch(ContentRequest(version: flight.version, isUrgent: isUrgent), into: flight)
        let isWanted = state.withLock { $0.attach(transfer, to: flight) }
        if !isWanted { transfer.cancel() }
    }

    /// Begins a file for what a flight brings.
    ///
    /// - Throws: ``ContentError/broken(reason:)`` if readers have bytes of an attempt before, which must not be mixed;
    ///   otherwise what the disk says.
    func beginAttempt(of flight: Flight) throws(ContentError) -> StageFile {
        guard let attempt = state.withLock({ $0.beginAttempt(of: flight) }) else {
            throw .broken(reason: "the source began anew after a part had been read")
        }
        return try StageFile(in: directory, attempt: attempt)
    }

    func noteRetry(of flight: Flight, after error: ContentError) {
        state.withLock { $0.noteRetry(of: flight, after: error) }
    }

    /// Answers the reads for which enough has come.
    ///
    /// - Throws: What `open` throws.
    func post(
        _ flight: Flight, staged: Int64, readable: Int64, open: () throws(ContentError) -> CachedFile
    ) throws(ContentError) {
        let isFirst = state.withLock { $0.needsFile(flight, readable: readable) }
        let file = isFirst ? try open() : nil
        let news = state.withLock { $0.post(flight, staged: staged, readable: readable, file: file) }
        for watcher in news.watchers { watcher(staged, flight.version.byteCount) }
        if let file = news.file { answer(news.waiters, .success(file)) }
    }

    /// Puts a file whose size is right in its place, once its hash is right too.
    ///
    /// - Throws: What ``StageFile/seal(for:etag:)`` throws.
    func keep(_ stage: consuming StageFile, as version: ContentVersion, etag: String?) throws(ContentError)
        -> CachedFile
    {
        // The disk is waited for with nothing held, since readers take `contents` too.
        let file = try stage.seal(for: version, etag: etag)
        let staged: StageFile? = consume stage
        let outcome: Result<Void, ContentError> = contents.withLock { usage in
            let old = FileStamp(path: directory.bookPath(of: version.id))
            do throws(ContentError) {
                try staged?.publish(as: version.id)
                usage?.replace(old?.byteCount, with: file.byteCount)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
        // The bytes are verified and readable whatever comes of this; after a crash they may have to be fetched again.
        try? directory.synchroniseFolder(of: version.id)
        openFiles.insert(file, for: version.id)
        return file
    }

    /// Ends a flight and answers all who wait for it.
    func land(_ flight: Flight, _ outcome: Result<CachedFile, ContentError>) {
        let error: ContentError? = if case .failure(let error) = outcome { error } else { nil }
        journal.end(flight.version, error)
        let waiters = state.withLock { state in
            state.land(flight, error, rememberUntil: settings.now() + settings.failureMemory)
        }
        guard let waiters else {
            // It was given up because the content is gone from the catalog.
            if error == nil { removeFiles(of: flight.version.id) }
            return
        }
        answer(waiters, outcome)
    }

    private func expire(_ id: UInt64, of version: ContentVersion, after deadline: Duration) {
        let late = ContentError.timedOut(
            reason: "the source did not deliver within \(deadline); what came meanwhile is kept")
        let until = settings.now() + settings.failureMemory
        let (waiter, error) = state.withLock { state in
            let error = state.retriedError(of: version.id) ?? late
            return (state.expire(id, from: version.id, with: error, rememberUntil: until), error)
        }
        guard let waiter else { return }
        journal.note(error, of: version)
        answer([waiter], .failure(error))
    }

    private func withdraw(_ id: UInt64, of version: VersionID, with error: ContentError) {
        guard let waiter = state.withLock({ $0.remove(id, from: version) }) else { return }
        answer([waiter], .failure(error))
    }

    private func answer(_ waiters: [Waiter], _ outcome: Result<CachedFile, ContentError>) {
        for waiter in waiters {
            if waiter.isReader { deadlines.clear(waiter.id) }
            waiter.completion(outcome)
        }
    }

    // MARK: - What is there

    /// Where a content stands.
    package func state(of version: VersionID) -> ContentState {
        if let staged = state.withLock({ $0.stagedByteCount(of: version) }), staged > 0 { return .partial }
        guard let stamp = FileStamp(path: directory.bookPath(of: version)),
            let record = directory.record(of: version), record.fits(stamp)
        else { return .placeholder }
        return .local
    }

    /// How much is on disk; counted at the first call, kept from then on.
    package func usage() -> Usage {
        contents.withLock { usage in
            if let usage { return usage }
            var counted = Usage()
            directory.forEachContent { _, byteCount in counted.replace(nil, with: byteCount) }
            usage = counted
            return counted
        }
    }

    /// Calls `body` with each content on disk and its size in bytes, in no order.
    package func forEachLocal(_ body: (VersionID, Int64) -> Void) {
        directory.forEachContent(body)
    }

    /// Removes a content, unless somebody has it open or waits for it.
    ///
    /// - Returns: Whether nothing of it is on disk now.
    package func evict(_ version: VersionID) -> Bool {
        guard !isOpen(version), state.withLock({ $0.stagedByteCount(of: version) == nil }) else { return false }
        removeFiles(of: version)
        return true
    }

    /// Removes a content that the catalog lists no more; those who wait for it get ``ContentError/removed``.
    package func remove(_ version: VersionID) {
        let (transfer, waiters) = state.withLock { $0.giveUp(version) }
        transfer?.cancel()
        answer(waiters, .failure(.removed))
        removeFiles(of: version)
    }

    private func removeFiles(of version: VersionID) {
        openFiles.remove(version)
        contents.withLock { usage in
            let old = FileStamp(path: directory.bookPath(of: version))
            directory.removeContent(of: version)
            usage?.replace(old?.byteCount, with: nil)
        }
    }

    /// Removes a file that isn't what its record says, unless a good one has taken its place meanwhile.
    private func discard(_ version: VersionID, _ stamp: FileStamp?) {
        openFiles.remove(version)
        contents.withLock { usage in
            let now = FileStamp(path: directory.bookPath(of: version))
            guard now?.inode == stamp?.inode else { return }
            directory.removeContent(of: version)
            usage?.replace(now?.byteCount, with: nil)
        }
    }
}

extension ContentCache.Usage {
    /// Counts a file instead of another; `nil` where there is none.
    fileprivate mutating func replace(_ old: Int64?, with new: Int64?) {
        if let old {
            byteCount -= old
            fileCount -= 1
        }
        if let new {
            byteCount += new
            fileCount += 1
        }
    }
}
