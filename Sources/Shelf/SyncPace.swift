/// When sources are asked by themselves.
///
/// All at intervals, and one that fails less and less often, so that a server in trouble isn't kept there and a source that is
/// gone costs nothing. What a person asks for is done at once.
package struct SyncPace: Sendable {
    /// Between two syncs.
    package let interval: Duration

    /// - Parameter interval: More than zero.
    package init(interval: Duration) {
        self.interval = interval
    }

    /// A failing source is asked every hour at least, or at every eighth interval, or at every one that is longer than that.
    private static var longestPause: Duration { .seconds(3_600) }
    private static var longestPauseInIntervals: Int { 8 }

    /// How long to wait from the start of one sync to that of the next: a tenth of the interval more or less, so that many
    /// machines don't ask a store in step.
    ///
    /// - Parameter chance: From -1 to 1.
    /// - Returns: More than zero.
    package func delay(chance: Double) -> Duration { interval * (1 + 0.1 * max(-1, min(1, chance))) }

    /// How long a source isn't asked again.
    ///
    /// - Parameter count: How often it has failed in a row.
    /// - Returns: Counted from its last failure.
    package func pause(afterFailures count: Int) -> Duration {
        guard count > 0 else { return .zero }
        let limit = max(interval, min(interval * Self.longestPauseInIntervals, Self.longestPause))
        // What is shifted further is beyond the limit in any case.
        return min(interval * (1 << min(count - 1, 8)), limit)
    }

    /// Whether a source is to be asked.
    ///
    /// - Parameters:
    ///   - count: How often it has failed in a row.
    ///   - elapsed: Since it failed last; below zero where the clock was set back, which makes it due.
    /// - Returns: Whether it is.
    package func isDue(failures count: Int, elapsed: Duration) -> Bool {
        // Half an interval early, as intervals are of different lengths: else it would often be one too late.
        elapsed < .zero || elapsed >= pause(afterFailures: count) - interval / 2
    }
}
