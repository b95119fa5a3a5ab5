/// Remembers which events were written lately, so that the same trouble doesn't fill the log.
struct RepeatLimit {
    /// The shortest time between two lines of the same event and key.
    static let interval = Duration.seconds(60)

    /// How many events with their keys are remembered at most; beyond, the one written longest ago is forgotten.
    static let capacity = 256

    /// When an event was last written, and what was left out since.
    private struct Entry {
        var writtenAt: Duration
        var suppressedCount = 0
    }

    private var entries: [String: Entry] = [:]

    /// Decides about one more occurrence.
    ///
    /// - Parameters:
    ///   - event: The event and its key.
    ///   - now: On a clock that nobody sets.
    /// - Returns: How many occurrences were left out since the last line, or `nil` to leave out this one too.
    mutating func admit(_ event: String, at now: Duration) -> Int? {
        if let entry = entries[event], now - entry.writtenAt < RepeatLimit.interval {
            entries[event]?.suppressedCount += 1
            return nil
        }
        let suppressedCount = entries[event]?.suppressedCount ?? 0
        entries[event] = Entry(writtenAt: now)
        if entries.count > RepeatLimit.capacity,
            let oldest = entries.min(by: { $0.value.writtenAt < $1.value.writtenAt })?.key
        {
            entries[oldest] = nil
        }
        return suppressedCount
    }
}
