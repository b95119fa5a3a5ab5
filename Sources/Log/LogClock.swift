internal import Glibc

/// Where a log takes its times from.
package protocol LogClock: Sendable {
    /// What is written on the lines.
    var secondsSince1970: Int64 { get }

    /// Time since some instant of the past, on a clock that nobody sets.
    var uptime: Duration { get }
}

/// The clocks of the machine.
package struct SystemLogClock: LogClock {
    package init() {}

    package var secondsSince1970: Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec)
    }

    package var uptime: Duration {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
    }
}
