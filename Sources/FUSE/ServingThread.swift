internal import Glibc

/// Threads that answer requests.
enum ServingThread {
    /// What a thread runs, on its way there.
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Starts a thread, which leaves signals to others but for SIGURG and those that it causes itself.
    ///
    /// - Returns: To be joined; `nil` if the system has no room for another.
    static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
        var blocked = sigset_t()
        var previous = sigset_t()
        unsafe sigfillset(&blocked)
        for signal in [SIGURG, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] {
            unsafe sigdelset(&blocked, signal)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &blocked, &previous)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }
        var thread = pthread_t()
        let work = unsafe Unmanaged.passRetained(Work(body))
        let result = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let work = unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
                work.body()
                return nil
            }, work.toOpaque())
        guard result == 0 else {
            unsafe work.release()
            return nil
        }
        return thread
    }
}
