internal import Shelf

/// Someone who waits for content.
struct Waiter {
    /// Given at admission.
    var id: UInt64 = 0

    /// Where what is waited for begins, in bytes.
    let offset: Int64

    /// How many bytes from the start must be there; `nil` for all of them, verified.
    let neededByteCount: Int64?

    /// Whether it is a read, of which only so many may wait.
    let isReader: Bool
    let completion: ContentCache.Completion
    let progress: (@Sendable (Int64, Int64) -> Void)?

    init(reading range: Range<Int64>, _ completion: @escaping ContentCache.Completion) {
        offset = range.lowerBound
        neededByteCount = max(1, range.upperBound)
        isReader = true
        self.completion = completion
        progress = nil
    }

    init(
        fetching completion: @escaping ContentCache.Completion, _ progress: @escaping @Sendable (Int64, Int64) -> Void
    ) {
        offset = 0
        neededByteCount = nil
        isReader = false
        self.completion = completion
        self.progress = progress
    }
}

/// What the cache knows of its flights.
///
/// Invariant: `waitingCount` is the number of readers in all flights; a flight in here hasn't landed.
struct CacheState {
    private struct Entry {
        let flight: Flight
        var transfer: (any ContentTransfer)?
        var waiters: [UInt64: Waiter] = [:]

        /// On disk, in bytes from the start.
        var stagedByteCount: Int64 = 0

        /// Of those, what readers may have.
        var readableByteCount: Int64 = 0

        /// There once readers may have something.
        var file: CachedFile?

        /// Whether a reader has got bytes of the present attempt.
        var isRead = false

        /// Why the last attempt failed, while another is due.
        var retriedError: ContentError?

        /// The last deadline that passed, while no byte has come of what it was set for.
        var expiry: Expiry?
    }

    /// What is remembered of a deadline that passed: the kernel asks twice, for what it reads ahead and for the page
    /// itself, and nobody is to wait twice.
    private struct Expiry {
        /// Where the read began; what stands before may come all the same.
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

        /// The flight is to be started by the caller where one is given.
        case waits(UInt64, starting: Flight?)
    }

    private var entries: [VersionID: Entry] = [:]
    private var failures: [VersionID: Failure] = [:]
    private var waitingCount = 0
    private var lastID: UInt64 = 0
    private var lastAttempt: UInt64 = 0
    private var isClosed = false

    private static var maximumFailureCount: Int { 4_096 }

    // MARK: - Those who wait

    /// Lets someone wait for a flight, which is made if there is none.
    mutating func admit(
        _ waiter: Waiter, for version: ContentVersion, limits: ContentCache.Settings, makeFlight: () -> Flight
    ) -> Admission {
        guard !isClosed else { return .answered(.failure(.interrupted)) }
        if let entry = entries[version.id], let file = entry.file, let needed = waiter.neededByteCount,
            needed <= entry.readableByteCount
        {
            entries[version.id]?.isRead = true
            return .answered(.success(file))
        }
        if waiter.isReader {
            if let failure = failures[version.id] {
                if limits.now() < failure.until { return .answered(.failure(failure.error)) }
                failures[version.id] = nil
            }
            if let expiry = entries[version.id]?.expiry, waiter.offset >= expiry.offset,
                limits.now() < expiry.failure.until
            {
                return .answered(.failure(expiry.failure.error))
            }
            guard waitingCount < limits.maximumWaitingCount else { return .answered(.failure(.tooManyWaiting)) }
            waitingCount += 1
        }
        lastID += 1
        var waiter = waiter
        waiter.id = lastID
        let isFirst = entries[version.id] == nil
        if isFirst { failures[version.id] = nil }
        var entry = entries[version.id] ?? Entry(flight: makeFlight())
        entry.waiters[waiter.id] = waiter
        entries[version.id] = entry
        return .waits(waiter.id, starting: isFirst ? entry.flight : nil)
    }

    func isWaiting(_ id: UInt64, for version: VersionID) -> Bool {
        entries[version]?.waiters[id] != nil
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
        if let entry = entries[version], entry.readableByteCount <= waiter.offset {
            entries[version]?.expiry = Expiry(
                offset: min(waiter.offset, entry.expiry?.offset ?? .max), failure: Failure(error: error, until: until))
        }
        return waiter
    }

    private mutating func removeAll(from entry: Entry) -> [Waiter] {
        waitingCount -= entry.waiters.values.count { $0.isReader }
        return entry.waiters.values.sorted { $0.id < $1.id }
    }

    // MARK: - Flights

    /// - Returns: Whether the flight is still wanted.
    mutating func attach(_ transfer: any ContentTransfer, to flight: Flight) -> Bool {
        guard entries[flight.version.id]?.flight === flight else { return false }
        entries[flight.version.id]?.transfer = transfer
        return true
    }

    /// - Returns: A number for the attempt; `nil` if readers have bytes of one before.
    mutating func beginAttempt(of flight: Flight) -> UInt64? {
        if entries[flight.version.id]?.flight === flight {
            guard entries[flight.version.id]?.isRead == false else { return nil }
            entries[flight.version.id]?.stagedByteCount = 0
            entries[flight.version.id]?.readableByteCount = 0
            entries[flight.version.id]?.file = nil
            entries[flight.version.id]?.retriedError = nil
        }
        lastAttempt += 1
        return lastAttempt
    }

    mutating func noteRetry(of flight: Flight, after error: ContentError) {
        guard entries[flight.version.id]?.flight === flight else { return }
        entries[flight.version.id]?.retriedError = error
    }

    /// Why the last attempt failed, if the flight waits for another.
    func retriedError(of version: VersionID) -> ContentError? {
        entries[version]?.retriedError
    }

    /// Whether a reader could be answered, now or later, and there is no file for it yet.
    func needsFile(_ flight: Flight, readable: Int64) -> Bool {
        guard let entry = entries[flight.version.id], entry.flight === flight else { return false }
        return entry.file == nil && readable > 0
    }

    /// Notes how much has come.
    ///
    /// - Returns: Those who can be answered now, with the file, and those who want to know how far it is.
    mutating func post(
        _ flight: Flight, staged: Int64, readable: Int64, file: CachedFile?
    ) -> (waiters: [Waiter], file: CachedFile?, watchers: [@Sendable (Int64, Int64) -> Void]) {
        guard var entry = entries[flight.version.id], entry.flight === flight else { return ([], nil, []) }
        entry.stagedByteCount = staged
        entry.readableByteCount = readable
        if let expiry = entry.expiry, readable > expiry.offset { entry.expiry = nil }
        if entry.file == nil { entry.file = file }
        var ready: [Waiter] = []
        if entry.file != nil {
            ready = entry.waiters.values.filter { $0.neededByteCount.map { $0 <= readable } ?? false }
            for waiter in ready { entry.waiters[waiter.id] = nil }
            waitingCount -= ready.count
            if !ready.isEmpty { entry.isRead = true }
        }
        entries[flight.version.id] = entry
        return (ready, entry.file, entry.waiters.values.compactMap(\.progress))
    }

    /// Takes a flight out.
    ///
    /// - Returns: All who wait for it; `nil` if it was given up, so that nothing of it may stay.
    mutating func land(
        _ flight: Flight, _ error: ContentError?, rememberUntil until: SuspendingClock.Instant
    ) -> [Waiter]? {
        guard let entry = entries[flight.version.id], entry.flight === flight else { return isClosed ? [] : nil }
        entries[flight.version.id] = nil
        if let error, error != .interrupted {
            // More versions than that don't fail within seconds, but for a whole shelf without its source.
            if failures.count >= Self.maximumFailureCount { failures.removeAll() }
            failures[flight.version.id] = Failure(error: error, until: until)
        }
        return removeAll(from: entry)
    }

    /// How much of a content is staged; `nil` if nothing is in the air.
    func stagedByteCount(of version: VersionID) -> Int64? {
        entries[version]?.stagedByteCount
    }

    /// Gives up a flight.
    mutating func giveUp(_ version: VersionID) -> (transfer: (any ContentTransfer)?, waiters: [Waiter]) {
        failures[version] = nil
        guard let entry = entries.removeValue(forKey: version) else { return (nil, []) }
        return (entry.transfer, removeAll(from: entry))
    }

    /// Gives up all flights, and admits nobody from now on.
    mutating func close() -> (transfers: [any ContentTransfer], waiters: [Waiter]) {
        isClosed = true
        let all = entries.values
        entries = [:]
        return (all.compactMap(\.transfer), all.flatMap { removeAll(from: $0) })
    }
}
