/// Which parts of a content are asked for beside the whole.
extension FlightWork {
    /// What a reader far ahead waits for and no leg brings soon.
    ///
    /// - Parameter awaited: What readers wait for, in bytes.
    /// - Returns: What to ask for, in bytes.
    func seek(for awaited: [Range<Int64>]) -> Range<Int64>? {
        // While the fill isn't on its way, nobody can say what it brings soon.
        guard hasRanges, isAccepted, !isOver, let byteCount = statement?.byteCount,
            legs.values.contains(where: { $0.role == .fill }),
            legs.values.count(where: { $0.role == .seek }) < Self.maximumSeekCount
        else { return nil }
        let limit = byteCount - ContentCache.keptBack(of: version, byteCount: byteCount)
        for range in awaited {
            guard let gap = arrived.firstGap(from: range.lowerBound, limit: min(range.upperBound, limit)) else {
                continue
            }
            let isComing = legs.values.contains { leg in
                leg.role == .seek
                    ? leg.range.contains(gap.lowerBound)
                    : leg.position <= gap.lowerBound && gap.lowerBound < leg.position + Self.horizon
            }
            if isComing { continue }
            return window(at: gap.lowerBound, atLeastTo: min(range.upperBound, limit), in: arrived, byteCount)
        }
        return nil
    }

    private static var maximumSeekCount: Int { 2 }

    /// So far ahead of a leg, bytes are about to come anyway.
    private static var horizon: Int64 { 1 << 20 }

    /// Whole blocks around what is wanted; twice as much as last time for a reader who reads on.
    private func window(at start: Int64, atLeastTo end: Int64, in arrived: ByteRanges, _ byteCount: Int64) -> Range<
        Int64
    > {
        let block = StageRecord.blockByteCount
        let first = start / block * block
        let isReadingOn = lastSeek.upperBound == first && !lastSeek.isEmpty
        let length = isReadingOn ? min(Int64(lastSeek.count) * 2, 8 * block) : block
        let last = min(byteCount, max(first + length, (end + block - 1) / block * block))
        return arrived.firstGap(from: first, limit: last) ?? start..<end
    }

    /// Whether seeks have brought so much behind a position that another request, behind that, is worth its while.
    func isAheadCovered(from position: Int64) -> Bool {
        guard hasRanges else { return false }
        return arrived.end(from: position) - position >= 2 * Self.horizon
    }
}
