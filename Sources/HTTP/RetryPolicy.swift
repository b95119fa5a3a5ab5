/// When a transfer that failed is tried again.
///
/// Only before anything was handed to the receiver, and only for failures that may pass: the connection, 429, 5xx.
package struct RetryPolicy: Sendable {
    /// How long to wait before the second attempt, the third, and so on; as many retries as there are values.
    package var delays: [Duration]

    /// What each delay is multiplied by.
    package var jitter: @Sendable () -> Double

    /// The most that a server's `Retry-After` is obeyed for.
    package var maximumRetryAfter: Duration

    /// How long a second of `Retry-After` lasts: one, but in tests.
    package var retryAfterUnit: Duration

    package init(
        delays: [Duration] = [.seconds(1), .seconds(2), .seconds(4)],
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0.8...1.2) },
        maximumRetryAfter: Duration = .seconds(60), retryAfterUnit: Duration = .seconds(1)
    ) {
        self.delays = delays
        self.jitter = jitter
        self.maximumRetryAfter = maximumRetryAfter
        self.retryAfterUnit = retryAfterUnit
    }

    /// How long to wait before the next attempt; `nil` means to give up.
    ///
    /// - Parameters:
    ///   - failedAttemptCount: At least 1.
    ///   - retryAfter: What the server asked for, in seconds.
    /// - Returns: The longer of its own delay and what the server asked for.
    func delay(afterFailedAttempts failedAttemptCount: Int, retryAfter: Int64?) -> Duration? {
        guard failedAttemptCount <= delays.count else { return nil }
        let own = delays[failedAttemptCount - 1] * jitter()
        return retryAfter.map { max(own, pause(retryAfter: $0)) } ?? own
    }

    /// How long a server is left alone that asked for `retryAfter` seconds.
    func pause(retryAfter: Int64) -> Duration {
        // Bounded before it is multiplied: the number is the server's.
        min(retryAfterUnit * Int(max(0, min(retryAfter, 86_400))), maximumRetryAfter)
    }
}
