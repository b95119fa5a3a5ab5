internal import CProcess
internal import Glibc

/// Signals as something that can be read, instead of handlers that interrupt.
///
/// The signals stay blocked in this process and are set back in every child that ``ChildProcess`` starts. See
/// signalfd(2).
@safe package struct SignalQueue: ~Copyable {
    /// Readable when a signal waits; for poll(2).
    package let descriptor: Int32

    /// Blocks the signals on the calling thread, and on those that it starts from now on.
    ///
    /// - Parameter signals: For example `SIGTERM`.
    package init(_ signals: [Int32]) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        descriptor = unsafe signalfd(-1, &set, CInt(SFD_CLOEXEC) | CInt(SFD_NONBLOCK))
    }

    deinit {
        close(descriptor)
    }

    /// The next signal that came and the process that sent it, 0 where it was the kernel; never waits.
    ///
    /// - Returns: `nil` if none waits.
    package func next() -> (signal: Int32, sender: Int32)? {
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard unsafe read(descriptor, &information, size) == size else { return nil }
        return (Int32(information.ssi_signo), Int32(bitPattern: information.ssi_pid))
    }
}
