internal import Shelf

/// What the cache knows of its flights, and of those who wait for them.
///
/// Invariant: `waitingCount` is the number of readers in all flights; a flight in here hasn't landed.
struct CacheState {
    private struct Entry {
        let flight: Flight
        var waiters: [UInt64: Waiter] = [:]

        /// How much is staged, in bytes.
        var stagedByteCount: Int64 = 0

        /// There once readers may have something.
        var content: ArrivingContent?

        /// Why the last attempt failed, while another is due.
        var retriedError: ContentError?

        /// The last deadline that passed, while no byte has come of what it was set for.
        var expiry: Expiry?

        /// The first byte at or after `offset` that hasn't come.
        func firstMissing(from offset: Int64) -> Int64 {
            content?.arrived.end(from: offset) ?? offset
        }
    }

    /// What is remembered of a deadline that passed: the kernel asks twice, for what it reads ahead and for the page
    /// itself, and nobody is to wait twice.
    private struct Expiry {
        /// Where what was missing begins; what stands before may come all the same.
        let offset: Int64
        let failure: Failure
    }

    private struct Failure {
        let error: ContentError
        let until: SuspendingClock.Instant
    }

    /// What becomes of someone who comes.
    enum Admission {
        case answered(Result<CachedFile, ContentError>)

        /// What was asked for has come.
        case arrived(ArrivingContent)

        /// Waits for this flight, which the caller starts if nobody did.
        case waits(UInt64, Flight, isFirst: Bool)
    }

    private var entries: [VersionID: Entry] = [:]
    private var failures: [VersionID: Failure] = [:]
    private var waitingCount = 0
    private var lastID: UInt64 = 0
    private var isClosed = false

    private static var maximumFailureCount: Int { 4_096 }

    // MARK: - Those who wait

    /// Lets someone wait for a flight, which is made if there is none.
    mutating func admit(
        _ waiter: Waiter, for version: ContentVersion, limits: ContentCache.Settings, makeFlight: () -> Flight
    ) -> Admission {
        guard !isClosed else { return .answered(.failure(.interrupted)) }
        if let range = waiter.range {
            if let content = give(range, of: version.id) { return .arrived(content) }
            if let failure = failures[version.id] {
                if limits.now() < failure.until { return .answered(.failure(failure.error)) }
                failures[version.id] = nil
            }
            if let entry = entries[version.id], let expiry = entry.expiry,
                entry.firstMissing(from: waiter.offset) >= expiry.offset, limits.now() < expiry.failure.until
            {
                return .answered(.failure(expiry.failure.error))
            }
            guard waitingCount < limits.maximumWaitingCount else { return .answered(.failure(.tooManyWaiting)) }
            waitingCount += 1
        }
        var waiter = waiter
        waiter.id = nextID()
        let isFirst = entries[version.id] == nil
        if isFirst { failures[version.id] = nil }
        var entry = entries[version.id] ?? Entry(flight: makeFlight())
        waiter.formerStagedByteCount = entry.stagedByteCount
        entry.waiters[waiter.id] = waiter
        entries[version.id] = entry
        return .waits(waiter.id, entry.flight, isFirst: isFirst)
    }

    /// What is arriving of a content, if a range of it can be read now; it counts as read then.
    mutating func give(_ range: Range<Int64>, of version: VersionID) -> ArrivingContent? {
        guard let content = entries[version]?.content, content.has(range) else { return nil }
        entries[version]?.content?.give(range)
        return content
    }

    /// A number that was never given before.
    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    func isWaiting(_ id: UInt64, for version: VersionID) -> Bool {
        entries[version]?.waiters[id] != nil
    }

    /// What readers of a flight wait for, those who came first in front.
    func awaitedRanges(of flight: Flight) -> [Range<Int64>] {
        guard let entry = entries[flight.version.id], entry.flight === flight else { return [] }
        return entry.waiters.values.sorted { $0.id < $1.id }.compactMap(\.range)
    }

    /// Takes out someone who waits; `nil` if that was answered before.
    mutating func remove(_ id: UInt64, from version: VersionID) -> Waiter? {
        guard let waiter = entries[version]?.waiters.removeValue(forKey: id) else { return nil }
        if waiter.isReader { waitingCount -= 1 }
        return waiter
    }

    /// Takes out someone whose deadline has passed; `nil` if that was answered before.
    mutating func expire(
        _ id: UInt64, from version: VersionID, with error: ContentError, rememberUntil until: SuspendingClock.Instant
    ) -> Waiter? {
        guard let waiter = remove(id, from: version) else { return nil }
        if let entry = entries[version] {
            let missing = entry.firstMissing(from: waiter.offset)
            // Where all has come, it is the check that is waited for.
            let offset = missing < waiter.range?.upperBound ?? .max ? missing : waiter.offset
            entries[version]?.expiry = Expiry(
                offset: min(offset, entry.expiry?.offset ?? .max), failure: Failure(error: error, until: until))
        }
        return waiter
    }

    /// The flight of a content that brought nothing as long as `waiter` waited, if nobody waits for it any more.
    func idleFlight(of version: VersionID, since waiter: Waiter) -> Flight? {
        guard let entry = entries[version], entry.waiters.isEmpty,
            entry.stagedByteCount == waiter.formerStagedByteCount
        else { return nil }
        return entry.flight
    }

    private mutating func removeAll(from entry: Entry) -> [Waiter] {
        waitingCount -= entry.waiters.values.count { $0.isReader }
        return entry.waiters.values.sorted { $0.id < $1.id }
    }

    // MARK: - What comes

    /// Whether a flight is still that of its version.
    func isCurrent(_ flight: Flight) -> Bool {
        entries[flight.version.id]?.flight === flight
    }

    mutating func noteRetry(of flight: Flight, after error: ContentError) {
        guard isCurrent(flight) else { return }
        entries[flight.version.id]?.retriedError = error
    }

    /// Why the last attempt failed, if the flight waits for another.
    func retriedError(of version: VersionID) -> ContentError? {
        entries[version]?.retriedError
    }

    /// Lets readers have what has come of a flight.
    mutating func open(_ flight: Flight, _ content: ArrivingContent) {
        guard isCurrent(flight) else { return }
        entries[flight.version.id]?.content = content
    }

    /// Lets readers have what has come from another file, which has the same bytes.
    mutating func replaceFile(of flight: Flight, with file: CachedFile, _ keptBackByteCount: Int64) {
        guard isCurrent(flight) else { return }
        entries[flight.version.id]?.content?.file = file
        entries[flight.version.id]?.content?.keptBackByteCount = keptBackByteCount
    }

    /// Takes back what came from `offset` on, unless somebody has got some of it.
    ///
    /// - Returns: Whether nobody has.
    mutating func takeBack(_ flight: Flight, from offset: Int64) -> Bool {
        guard isCurrent(flight), let content = entries[flight.version.id]?.content else { return true }
        guard content.givenEnd <= offset else { return false }
        entries[flight.version.id]?.content?.arrived.cut(at: offset)
        return true
    }

    /// Takes it that nobody has what was given out of a content.
    mutating func forgetGiven(_ version: VersionID) {
        entries[version]?.content?.givenEnd = 0
        failures[version] = nil
    }

    /// What a change of a flight means to those who wait for it.
    struct News {
        /// Those who can be answered now.
        var waiters: [Waiter] = []
        var content: ArrivingContent?
        var watchers: [@Sendable (Int64, Int64) -> Void] = []
    }

    /// Notes how much is staged, and which bytes are new.
    mutating func post(_ flight: Flight, stagedByteCount: Int64, new: Range<Int64>?) -> News {
        guard var entry = entries[flight.version.id], entry.flight === flight else { return News() }
        entry.stagedByteCount = stagedByteCount
        entry.retriedError = nil
        var news = News(watchers: entry.waiters.values.compactMap(\.progress))
        if var content = entry.content {
            if let new { content.arrived.insert(new) }
            if let expiry = entry.expiry, content.arrived.end(from: expiry.offset) > expiry.offset {
                entry.expiry = nil
            }
            for waiter in entry.waiters.values {
                guard let range = waiter.range, content.has(range) else { continue }
                content.give(range)
                news.waiters.append(waiter)
            }
            for waiter in news.waiters { entry.waiters[waiter.id] = nil }
            waitingCount -= news.waiters.count
            entry.content = content
            news.content = content
        }
        entries[flight.version.id] = entry
        return news
    }

    // MARK: - Ends

    /// Takes a flight out.
    ///
    /// - Returns: All who wait for it; `nil` if it was given up, so that nothing of it may stay.
    mutating func land(
        _ flight: Flight, _ error: ContentError?, rememberUntil until: SuspendingClock.Instant
    ) -> [Waiter]? {
        guard let entry = entries[flight.version.id], entry.flight === flight else {
            return isClosed ? [] : nil
        }
        entries[flight.version.id] = nil
        // Room may come back at any time, and whoever reads may be served where others weren't.
        if let error, error != .interrupted, !error.isForLackOfRoom {
            // More versions than that don't fail within seconds, but for a whole shelf without its source.
            if failures.count >= Self.maximumFailureCount { failures.removeAll() }
            failures[flight.version.id] = Failure(error: error, until: until)
        }
        return removeAll(from: entry)
    }

    /// Whether there is a flight of a content.
    func isFlying(_ version: VersionID) -> Bool { entries[version] != nil }

    /// Whether anybody reads a content that is in the air, rather than only wanting it on disk.
    func isRead(_ version: VersionID) -> Bool {
        guard let entry = entries[version] else { return false }
        return entry.waiters.values.contains { $0.isReader } || (entry.content?.givenEnd ?? 0) > 0
    }

    /// How much of a content is staged; `nil` if nothing is in the air.
    func stagedByteCount(of version: VersionID) -> Int64? {
        entries[version]?.stagedByteCount
    }

    /// Gives up a flight.
    mutating func giveUp(_ version: VersionID) -> (flight: Flight?, waiters: [Waiter]) {
        failures[version] = nil
        guard let entry = entries.removeValue(forKey: version) else { return (nil, []) }
        return (entry.flight, removeAll(from: entry))
    }

    /// Gives up all flights, and admits nobody from now on.
    mutating func close() -> (flights: [Flight], waiters: [Waiter]) {
        isClosed = true
        let all = entries.values
        entries = [:]
        return (all.map(\.flight), all.flatMap { removeAll(from: $0) })
    }
}
