internal import Glibc

extension timespec {
    /// Leaves a time as it is: UTIME_OMIT of utimensat(2), a macro that Swift doesn't see.
    static var omitted: timespec { timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2) }

    /// The kernel's own "now", which is the same for several milliseconds: UTIME_NOW of utimensat(2).
    static var kernelNow: timespec { timespec(tv_sec: 0, tv_nsec: (1 << 30) - 1) }

    /// What a clock says.
    init(of clock: clockid_t) {
        self.init()
        unsafe clock_gettime(clock, &self)
    }

    /// All of it, in nanoseconds.
    var nanoseconds: Int64 { Int64(tv_sec) * 1_000_000_000 + Int64(tv_nsec) }
}
