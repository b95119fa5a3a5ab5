internal import Catalog
internal import ContentCache
internal import Log
internal import Shelf
internal import Threads

/// Keeps the content of pinned books on disk: fetches what is missing, one after another and behind all readers.
///
/// What fails is tried again, less and less often; sooner once anything comes from a source again, or the catalog changes.
///
/// Lock order: `state` is taken alone; nothing is called while it is held.
final class PinnedContent: Sendable {
    private struct State {
        var isWoken = true
        var isStopping = false
    }

    /// How long after a failure it is tried again: this, then twice as long each time, up to the longest.
    private static var firstDelay: Duration { .seconds(15) }
    private static var longestDelay: Duration { .seconds(900) }

    /// How often it looks whether a source delivers again.
    private static var lookInterval: Duration { .seconds(5) }

    /// How often it looks at what it knows to be there.
    private static var recheckInterval: Duration { .seconds(900) }

    private let catalog: CatalogReaders
    private let cache: ContentCache
    private let log: Log
    private let state = Monitor(State())

    init(catalog: CatalogReaders, cache: ContentCache, log: Log) {
        self.catalog = catalog
        self.cache = cache
        self.log = log
    }

    /// Tells it that the catalog may have changed.
    func wake() {
        state.update { $0.isWoken = true }
    }

    /// Makes ``run()`` return soon.
    func stop() {
        state.update { $0.isStopping = true }
    }

    private var isStopping: Bool { state.update { $0.isStopping } }

    /// Fetches until ``stop()``; blocks the calling thread.
    func run() {
        let clock = SuspendingClock()
        var known: Set<VersionID> = []
        var wanted: [VersionID] = []
        var delay = Self.firstDelay
        var (lastTry, nextTry, nextCheck) = (clock.now, clock.now, clock.now + Self.recheckInterval)
        var receivedByteCount: Int64 = 0
        while true {
            let isWaitingForSource = !wanted.isEmpty
            let isWoken: Bool? = state.wait(
                atMost: isWaitingForSource ? Self.lookInterval : Self.recheckInterval
            ) { state in
                if state.isStopping { return false }
                guard state.isWoken else { return nil }
                state.isWoken = false
                return true
            }
            if isWoken == false { return }
            if clock.now >= nextCheck {
                known = []
                nextCheck = clock.now + Self.recheckInterval
            }
            let found = missing(&known)
            let isNew = found != wanted
            let isReceiving = cache.journal.current.total.byteCount != receivedByteCount
            let isDue = clock.now >= nextTry || (isReceiving && clock.now >= lastTry + Self.firstDelay)
            guard !found.isEmpty, isNew || isDue else {
                wanted = found
                continue
            }
            if isNew { delay = Self.firstDelay }
            fetch(found)
            wanted = missing(&known)
            receivedByteCount = cache.journal.current.total.byteCount
            lastTry = clock.now
            nextTry = lastTry + delay
            delay = min(delay * 2, Self.longestDelay)
        }
    }

    /// The pinned contents that aren't on disk.
    private func missing(_ known: inout Set<VersionID>) -> [VersionID] {
        let pinned: [VersionID]
        do throws(CatalogError) {
            pinned = try catalog.pinned()
        } catch {
            log.warning(
                "pinned books could not be looked up", ["reason": .public(error.reason)], limitedBy: "pins")
            return []
        }
        known.formIntersection(pinned)
        return pinned.filter { version in
            if known.contains(version) { return false }
            let isKept = cache.state(of: version) == .local && cache.isSecured(version)
            guard isKept || isServedInPlace(version) else { return true }
            known.insert(version)
            return false
        }
    }

    /// Whether nothing of a content is ever in the cache.
    private func isServedInPlace(_ id: VersionID) -> Bool {
        guard let version = (try? catalog.content(id)) ?? nil else { return false }
        return cache.inPlacePolicy.path(ofURL: version.url, source: version.source) != nil
    }

    private func fetch(_ versions: [VersionID]) {
        var failedSources: Set<String> = []
        for id in versions {
            guard !isStopping else { return }
            guard let version = (try? catalog.content(id)) ?? nil, !failedSources.contains(version.source) else {
                continue
            }
            switch fetch(version) {
            case .success, nil: break
            case .failure(.noRoom): return
            case .failure(let error):
                // The others would wait for the same silence.
                if error.concernsSource { failedSources.insert(version.source) }
                log.info(
                    "a pinned book could not be fetched and is tried again later",
                    ["book": .public(version.title), "reason": .public(error.reason)])
            }
        }
    }

    /// - Returns: What became of it; `nil` if nobody waits for it any more.
    private func fetch(_ version: ContentVersion) -> Result<Void, ContentError>? {
        let outcome = Monitor<Result<Void, ContentError>?>(nil)
        let pending = cache.fetch(version, program: "pins") { result in
            outcome.update { $0 = result.map { _ in } }
        }
        while true {
            if let found = outcome.wait(atMost: .seconds(1), for: { $0 }) { return found }
            if isStopping {
                pending.cancel()
                return nil
            }
        }
    }
}

extension ContentError {
    /// Whether other books of the same source would fail alike.
    fileprivate var concernsSource: Bool {
        switch self {
        case .unreachable, .timedOut, .tooManyWaiting: true
        case .interrupted, .removed, .denied, .missing, .broken, .damaged, .cacheFailed, .superseded, .noRoom: false
        }
    }
}
