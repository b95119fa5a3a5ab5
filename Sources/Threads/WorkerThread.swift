internal import Glibc

/// A thread of this process that runs one closure.
///
/// All signals are blocked in it: they belong to the main thread. Drop it to let it run on alone, or ``join()`` it.
@safe package struct WorkerThread: ~Copyable {
    private let identifier: pthread_t

    /// Starts the thread.
    ///
    /// Traps when the system can't start one, as Swift does when memory ends.
    ///
    /// - Parameters:
    ///   - name: Shown by ps(1) and debuggers; cut to 15 bytes.
    ///   - body: Run once.
    package init(name: String, _ body: @escaping @Sendable () -> Void) {
        var everySignal = sigset_t()
        var previous = sigset_t()
        unsafe sigfillset(&everySignal)
        unsafe pthread_sigmask(SIG_SETMASK, &everySignal, &previous)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }

        let box = unsafe Unmanaged.passRetained(Body(name: name, run: body)).toOpaque()
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, nil,
            { context in
                if let context = unsafe context {
                    let body = unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
                    body.nameThread()
                    body.run()
                }
                return nil
            }, box)
        precondition(code == 0, "no thread can be started")
        identifier = thread
    }

    deinit {
        pthread_detach(identifier)
    }

    /// Whether the caller runs on this thread.
    package var isCurrent: Bool { pthread_equal(identifier, pthread_self()) != 0 }

    /// Waits until the closure has returned.
    ///
    /// From the thread itself, it lets it run on alone instead.
    package consuming func join() {
        if isCurrent {
            _ = consume self
            return
        }
        pthread_join(identifier, nil)
        discard self
    }
}

/// Carries a closure through a C pointer.
private final class Body: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(name: String, run: @escaping @Sendable () -> Void) {
        self.name = name
        self.run = run
    }

    /// Gives the calling thread its name; without one it works as well.
    func nameThread() {
        let descriptor = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        let bytes = Array(name.utf8.prefix(15))
        _ = unsafe write(descriptor, bytes, bytes.count)
        close(descriptor)
    }
}
