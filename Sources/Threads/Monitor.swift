internal import Glibc

/// A value that threads take turns to change, and can wait on.
///
/// For the few places where a thread has nothing else to do than to wait; everywhere else a `Mutex` does.
///
/// Lock order: a monitor is taken last, and nothing is called while it is held but the closures given to it, which must
/// not take another lock, nor this one again.
@safe package final class Monitor<State>: @unchecked Sendable {
    // @unchecked: `state` is only touched while `mutex` is held.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    package init(_ state: sending State) {
        self.state = state
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        // The clock that nobody sets, so that a wait lasts as long as it says.
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Changes the value, and wakes whoever waits.
    package func update<Answer>(_ body: (inout State) -> sending Answer) -> sending Answer {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_cond_broadcast(condition)
            unsafe pthread_mutex_unlock(mutex)
        }
        return body(&state)
    }

    /// Waits until `answer` finds something in the value.
    ///
    /// - Parameters:
    ///   - limit: How long at most; `nil` for ever.
    ///   - answer: Asked at once and after each change, alone with the value; it may change it, which wakes nobody.
    /// - Returns: What was found, or `nil` once the limit has passed.
    package func wait<Answer>(
        atMost limit: Duration?, for answer: (inout State) -> sending Answer?
    ) -> sending Answer? {
        let end = limit.map { timespec(monotonicAfter: $0) }
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let found = answer(&state) { return found }
            guard var end else {
                unsafe pthread_cond_wait(condition, mutex)
                continue
            }
            if unsafe pthread_cond_timedwait(condition, mutex, &end) == ETIMEDOUT { return answer(&state) }
        }
    }
}

extension timespec {
    /// The time on the monotonic clock after `interval` from now; never before now.
    fileprivate init(monotonicAfter interval: Duration) {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        let parts = max(interval, .zero).components
        // A wait of more than a century is one for ever, and stays clear of overflow.
        let seconds = min(parts.seconds, 3_000_000_000)
        let nanoseconds = now.tv_nsec + Int(parts.attoseconds / 1_000_000_000)
        self.init(
            tv_sec: now.tv_sec + Int(seconds) + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
    }
}
