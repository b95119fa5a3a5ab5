internal import Glibc

/// The time of day.
enum Now {
    /// Since 1970.
    static var nanoseconds: Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    /// Since 1970.
    static var seconds: Int64 { nanoseconds / 1_000_000_000 }

    /// Of this place's time from UTC, in seconds.
    static var offset: Int64 {
        var now = time(nil)
        var local = unsafe tm()
        guard unsafe localtime_r(&now, &local) != nil else { return 0 }
        return Int64(unsafe local.tm_gmtoff)
    }
}
