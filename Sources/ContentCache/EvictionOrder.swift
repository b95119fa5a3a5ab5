internal import Shelf

/// Which files of a cache go first.
///
/// What earlier flights have left goes before all else once it is old; then what alone takes more than the whole cache may; then
/// what wasn't used for longest.
struct EvictionOrder {
    /// A file that may go.
    struct Candidate: Equatable {
        let version: VersionID
        let isStage: Bool
        let item: Inventory.Item
        fileprivate let rank: Int

        /// Whether it alone takes more than the whole cache may.
        var isTooLarge: Bool { rank == 1 }
    }

    /// How long nobody has gone on with a stage that is old, in nanoseconds.
    static var stageAge: Int64 { 3_600 * 1_000_000_000 }

    /// Those that weren't looked at yet, the next one last.
    private var rest: [Candidate] = []

    /// - Parameters:
    ///   - inventory: What is there.
    ///   - limit: How much the cache may take, in bytes.
    ///   - now: In nanoseconds since 1970.
    init(of inventory: Inventory, limit: Int64, now: Int64) {
        for (version, item) in inventory.stages {
            rest.append(
                Candidate(
                    version: version, isStage: true, item: item, rank: now - item.usedAt >= Self.stageAge ? 0 : 2))
        }
        for (version, item) in inventory.books {
            rest.append(
                Candidate(version: version, isStage: false, item: item, rank: item.byteCount > limit ? 1 : 2))
        }
        rest.sort(by: Self.goesLater)
    }

    /// The one that goes next.
    mutating func next() -> Candidate? { rest.popLast() }

    /// Takes back one that was used later than it was thought to be.
    mutating func putBack(_ candidate: Candidate, usedAt: Int64) {
        let later = Candidate(
            version: candidate.version, isStage: candidate.isStage,
            item: Inventory.Item(byteCount: candidate.item.byteCount, usedAt: usedAt), rank: candidate.rank)
        var (low, high) = (0, rest.count)
        while low < high {
            let middle = (low + high) / 2
            if Self.goesLater(rest[middle], later) { low = middle + 1 } else { high = middle }
        }
        rest.insert(later, at: low)
    }

    private static func goesLater(_ left: Candidate, _ right: Candidate) -> Bool {
        left.rank != right.rank ? left.rank > right.rank : left.item.usedAt > right.item.usedAt
    }
}
