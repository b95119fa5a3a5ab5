/// Which bytes of a content are there.
///
/// Invariant: `runs` are in order, none is empty, and no two touch.
struct ByteRanges: Equatable, Sendable {
    private(set) var runs: [Range<Int64>] = []

    init() {}

    init(_ range: Range<Int64>) {
        insert(range)
    }

    var isEmpty: Bool { runs.isEmpty }

    /// How many bytes are there.
    var byteCount: Int64 { runs.reduce(0) { $0 + Int64($1.count) } }

    /// Adds a range; what was there of it stays.
    mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        // Bytes mostly come behind those that came last.
        if let last = runs.last, last.upperBound == range.lowerBound {
            runs[runs.count - 1] = last.lowerBound..<range.upperBound
            return
        }
        let start = firstIndex(reaching: range.lowerBound)
        var end = start
        var merged = range
        while end < runs.count, runs[end].lowerBound <= range.upperBound {
            merged = min(merged.lowerBound, runs[end].lowerBound)..<max(merged.upperBound, runs[end].upperBound)
            end += 1
        }
        runs.replaceSubrange(start..<end, with: CollectionOfOne(merged))
    }

    /// Takes away a range.
    mutating func remove(_ range: Range<Int64>) {
        runs = runs.flatMap { run in
            [
                run.lowerBound..<max(run.lowerBound, min(run.upperBound, range.lowerBound)),
                min(run.upperBound, max(run.lowerBound, range.upperBound))..<run.upperBound,
            ].filter { !$0.isEmpty }
        }
    }

    /// Takes away what lies at or after `offset`.
    mutating func cut(at offset: Int64) {
        runs = runs.compactMap { run in
            run.lowerBound < offset ? run.lowerBound..<min(run.upperBound, offset) : nil
        }
    }

    /// Whether all of a range is there; an empty one always is.
    func contains(_ range: Range<Int64>) -> Bool {
        range.isEmpty || end(from: range.lowerBound) >= range.upperBound
    }

    /// Where the bytes that are there from `offset` on end; `offset` itself if there is none.
    func end(from offset: Int64) -> Int64 {
        let index = firstIndex(reaching: offset)
        guard index < runs.count, runs[index].contains(offset) else { return offset }
        return runs[index].upperBound
    }

    /// The first bytes that are missing at or after `offset`.
    ///
    /// - Parameters:
    ///   - offset: Where to look first, in bytes.
    ///   - limit: How long the content is, in bytes.
    /// - Returns: `nil` if none is missing before `limit`.
    func firstGap(from offset: Int64, limit: Int64) -> Range<Int64>? {
        let start = end(from: offset)
        guard start < limit else { return nil }
        let next = runs.first { $0.lowerBound > start }?.lowerBound ?? limit
        return start..<min(next, limit)
    }

    /// The first run that ends at or after `offset`.
    private func firstIndex(reaching offset: Int64) -> Int {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].upperBound < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
