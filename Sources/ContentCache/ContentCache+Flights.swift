internal import Shelf
internal import Synchronization

/// How flights begin and end, and how those who wait for them are answered.
extension ContentCache {
    func start(_ flight: Flight) {
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
        guard case .success(let file) = outcome else { return answer(waiters, outcome) }
        answer(waiters.filter(\.isReader), outcome)
        let others = waiters.filter { !$0.isReader }
        guard !others.isEmpty else { return }
        whenSecured(flight.version.id) { [weak self] in
            guard let self else { return }
            answer(others, secured(file, of: flight.version.id))
        }
    }

    func expire(_ id: UInt64, of version: ContentVersion, after deadline: Duration) {
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

    func withdraw(_ id: UInt64, of version: VersionID, with error: ContentError) {
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
