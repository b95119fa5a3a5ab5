internal import CProcess
internal import Glibc

/// Another process, whatever its number means later.
///
/// See pidfd_open(2).
package struct ProcessHandle: ~Copyable {
    /// Readable once it has ended; for poll(2).
    package let descriptor: Int32

    /// Holds a process; none if there is no such process, or the kernel is older than 5.3.
    ///
    /// - Parameter process: Its number. Who else may have got it is to be asked after this.
    package init?(_ process: Int32) {
        let opened = cprocess_pidfd_open(process)
        guard opened >= 0 else { return nil }
        // Closed on exec by itself.
        descriptor = opened
    }

    /// Holds one thread alone: its descriptor is readable when that thread has ended, also if others of the process can't end yet.
    ///
    /// Of a main thread that is told only with the end of all. None where the kernel is older than 6.9.
    ///
    /// - Parameter thread: Its number.
    package init?(thread: Int32) {
        let opened = cprocess_pidfd_open_thread(thread)
        guard opened >= 0 else { return nil }
        descriptor = opened
    }

    deinit {
        close(descriptor)
    }

    /// Opens what it has open under a number, as far as this process may look into it.
    ///
    /// - Returns: A descriptor of this process, which closes it; `nil` if there is none.
    ///
    /// See pidfd_getfd(2).
    package func open(_ number: Int32) -> Int32? {
        let opened = cprocess_pidfd_getfd(descriptor, number)
        // Closed on exec by itself.
        return opened >= 0 ? opened : nil
    }

    /// Sends a signal; one that has ended gets none.
    ///
    /// See pidfd_send_signal(2).
    package func send(_ signal: Int32) {
        _ = cprocess_pidfd_send_signal(descriptor, signal)
    }

    /// Waits until it has ended.
    ///
    /// - Returns: Whether it has.
    package func waitForEnd(atMost limit: Duration) -> Bool {
        ThisProcess.wait(for: [descriptor], atMost: limit)[0]
    }
}
