internal import Glibc

/// A thread of the system that runs one closure to its end.
struct Thread {
    private let thread: pthread_t

    /// Starts a thread that somebody will wait for.
    ///
    /// - Returns: `nil` if the system has no thread left.
    init?(_ body: @escaping @Sendable () -> Void) {
        guard let thread = Thread.start(body) else { return nil }
        self.thread = thread
    }

    /// Waits for its end.
    consuming func join() {
        pthread_join(thread, nil)
    }

    /// Starts a thread that nobody waits for.
    ///
    /// - Returns: Whether the system had a thread left.
    static func detach(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = start(body) else { return false }
        pthread_detach(thread)
        return true
    }

    /// What the thread runs, as one pointer can carry it.
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    private static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
        let box = unsafe Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        // Signals are for the main thread.
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        let result = unsafe pthread_create(
            &thread, nil,
            { context in
                if let context = unsafe context {
                    unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                }
                return nil
            }, box.toOpaque())
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        guard result == 0 else {
            unsafe box.release()
            return nil
        }
        return thread
    }
}
