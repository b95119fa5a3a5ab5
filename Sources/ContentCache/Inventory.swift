internal import Shelf

/// What a cache holds on disk, by version, and what is on its way there.
///
/// Counted once and kept in step by whoever puts a file in its place or removes it. Who else removes files is noticed when the
/// directory of contents has changed, and otherwise by whoever comes to evict one of them.
struct Inventory {
    /// A file.
    struct Item: Equatable {
        /// In bytes.
        var byteCount: Int64

        /// In nanoseconds since 1970; it may have been used later.
        var usedAt: Int64
    }

    /// Whether somebody has counted.
    private(set) var isCounted = false

    /// What told the directory of contents apart when it was counted.
    private(set) var identity: [Int64]?

    /// Grows whenever something is put in or taken out.
    private(set) var generation: UInt64 = 0

    private(set) var books: [VersionID: Item] = [:]

    /// What earlier flights have left, to be gone on with.
    private(set) var stages: [VersionID: Item] = [:]

    /// How much flights are going to bring, or have.
    private var reserved: [VersionID: Int64] = [:]

    private(set) var bookByteCount: Int64 = 0
    private var stageByteCount: Int64 = 0
    private var reservedByteCount: Int64 = 0

    /// All together, in bytes.
    var byteCount: Int64 { bookByteCount + stageByteCount + reservedByteCount }

    /// Takes what was counted.
    mutating func replace(books: [VersionID: Item], stages: [VersionID: Item], identity: [Int64]?) {
        self.books = books
        // What a flight works at counts as reserved.
        self.stages = stages.filter { reserved[$0.key] == nil }
        self.identity = identity
        isCounted = true
        bookByteCount = self.books.values.reduce(0) { $0 + $1.byteCount }
        stageByteCount = self.stages.values.reduce(0) { $0 + $1.byteCount }
    }

    mutating func setBook(_ version: VersionID, _ item: Item?) {
        generation += 1
        bookByteCount += (item?.byteCount ?? 0) - (books[version]?.byteCount ?? 0)
        books[version] = item
    }

    mutating func setStage(_ version: VersionID, _ item: Item?) {
        generation += 1
        stageByteCount += (item?.byteCount ?? 0) - (stages[version]?.byteCount ?? 0)
        stages[version] = item
    }

    /// Says how much a flight brings; `nil` when it is over.
    mutating func reserve(_ version: VersionID, _ byteCount: Int64?) {
        reservedByteCount += (byteCount ?? 0) - (reserved[version] ?? 0)
        reserved[version] = byteCount
        if byteCount != nil { setStage(version, nil) }
    }

    /// How much a flight brings, or has left.
    func pendingByteCount(of version: VersionID) -> Int64 {
        (reserved[version] ?? 0) + (stages[version]?.byteCount ?? 0)
    }

    /// Notes that a file was used later than it was thought to be.
    mutating func noteUse(of version: VersionID, at time: Int64) {
        books[version]?.usedAt = time
    }
}
