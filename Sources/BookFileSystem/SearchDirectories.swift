internal import Catalog
internal import Synchronization

/// The searches that somebody looks at in the mount: the directories below `.search`, made by looking them up.
///
/// A search is run when its directory is looked up or opened and what was found last is older than ``freshness``. Directories have
/// numbers that are given once in a mount, by whichever worker; one that was forgotten is stale, and has another number when it is
/// looked up again. What is remembered is bounded: the searches that nobody has looked at for longest are forgotten.
///
/// Invariant: `numbers` and `live` have the same searches; `entryCount` is what they have found together.
/// Lock order: `state` is a leaf; the catalog is asked without it.
final class SearchDirectories: Sendable {
    /// How many searches are remembered, how much all of them may have found, and one of them.
    static var maximumCount: Int { 256 }
    static var maximumEntryCount: Int { 50_000 }
    static var maximumFoundCount: Int { 2_000 }

    private struct Live {
        let number: Int64
        var found: FoundDirectory
        var foundAt: ContinuousClock.Instant
        var lastUse: Int
    }

    private struct State {
        var live: [String: Live] = [:]
        var numbers: [Int64: String] = [:]
        var entryCount = 0
        var useCount = 0
    }

    private let state = Mutex(State())
    private let catalog: CatalogReaders
    private let takeNumber: @Sendable () -> Int64
    private let now: @Sendable () -> Int64
    private let freshness: Duration

    /// - Parameters:
    ///   - catalog: What is searched.
    ///   - freshness: How long what was found is believed.
    ///   - takeNumber: Gives a number that was never given in this mount.
    ///   - now: Nanoseconds since 1970.
    init(
        catalog: CatalogReaders, freshness: Duration, takeNumber: @escaping @Sendable () -> Int64,
        now: @escaping @Sendable () -> Int64
    ) {
        self.catalog = catalog
        self.freshness = freshness
        self.takeNumber = takeNumber
        self.now = now
    }

    /// The directory of what was typed, with its number.
    ///
    /// - Throws: ``CatalogError`` if nothing can be found now.
    func directory(of typed: String) throws(CatalogError) -> (number: Int64, found: FoundDirectory) {
        let known = state.withLock { state in use(typed, &state) }
        if let known, ContinuousClock().now - known.foundAt < freshness { return (known.number, known.found) }
        let entries = try catalog.search(SearchQuery(typed), limit: Self.maximumFoundCount)
        let time = now()
        return state.withLock { state in
            let former = use(typed, &state)
            var found = FoundDirectory(entries, modifiedAt: time)
            if let former, former.found.hasEntries(of: found) { found = former.found }
            let number = former?.number ?? takeNumber()
            state.entryCount += found.entries.count - (former?.found.entries.count ?? 0)
            state.live[typed] = Live(
                number: number, found: found, foundAt: ContinuousClock().now, lastUse: state.useCount)
            state.numbers[number] = typed
            forgetOldest(&state)
            return (number, found)
        }
    }

    /// What a directory held when it was last looked up or opened; `nil` for one that was forgotten.
    func directory(_ number: Int64) -> FoundDirectory? {
        state.withLock { state in state.numbers[number].flatMap { use($0, &state)?.found } }
    }

    /// What a directory holds now; `nil` for one that was forgotten.
    ///
    /// - Throws: ``CatalogError``.
    func refreshed(_ number: Int64) throws(CatalogError) -> FoundDirectory? {
        guard let typed = state.withLock({ $0.numbers[number] }) else { return nil }
        return try directory(of: typed).found
    }

    private func use(_ typed: String, _ state: inout State) -> Live? {
        state.useCount += 1
        state.live[typed]?.lastUse = state.useCount
        return state.live[typed]
    }

    /// Forgets searches until what is remembered is within its bounds; the last one used stays.
    private func forgetOldest(_ state: inout State) {
        while state.live.count > Self.maximumCount || state.entryCount > Self.maximumEntryCount, state.live.count > 1,
            let oldest = state.live.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            state.live[oldest.key] = nil
            state.numbers[oldest.value.number] = nil
            state.entryCount -= oldest.value.found.entries.count
        }
    }
}

/// What a search has found, as a directory.
final class FoundDirectory: Sendable {
    /// Best first.
    let entries: [FoundEntry]

    /// Since when it holds these, in nanoseconds since 1970.
    let modifiedAt: Int64
    private let places: [String: Int]

    init(_ entries: [FoundEntry], modifiedAt: Int64) {
        self.entries = entries
        self.modifiedAt = modifiedAt
        places = Dictionary(entries.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    /// What stands under a name, byte for byte.
    func version(named name: String) -> VersionAttributes? {
        guard let place = places[name], entries[place].name.utf8.elementsEqual(name.utf8) else { return nil }
        return entries[place].version
    }

    func hasEntries(of other: FoundDirectory) -> Bool {
        entries.elementsEqual(other.entries) { $0.version == $1.version && $0.name.utf8.elementsEqual($1.name.utf8) }
    }
}
