internal import Glibc

/// The lock of a file, by which processes agree who does what.
///
/// It belongs to the open file: who inherits the descriptor has it as well, and it is free when the last of them is gone,
/// however they went. See flock(2).
package struct FileLock: ~Copyable {
    /// Who may have it at the same time.
    package enum Mode: Sendable { case shared, exclusive }

    /// Why it can't be had.
    package enum Failure: Error, Hashable, Sendable {
        /// Others had it for as long as one waited.
        case held

        /// The file can't be opened or locked; the number is that of errno(3).
        case unusable(number: Int32)
    }

    /// To be handed to a child process; closed on exec otherwise.
    package let descriptor: Int32

    /// Opens a file, makes it where there is none, and waits for its lock.
    ///
    /// - Parameters:
    ///   - path: Of the file, which is never a database: closing one would lose the locks of this process on it.
    ///   - mode: Who may have it at the same time.
    ///   - limit: How long at most.
    /// - Throws: ``Failure``.
    package init(_ path: String, _ mode: Mode, waitingAtMost limit: Duration) throws(Failure) {
        let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else { throw .unusable(number: errno) }
        try self.init(owning: opened, mode, waitingAtMost: limit)
    }

    /// Waits for the lock of a file or directory that is open.
    ///
    /// - Parameters:
    ///   - descriptor: Owned from now on, also when this throws.
    ///   - mode: Who may have it at the same time.
    ///   - limit: How long at most.
    /// - Throws: ``Failure``.
    package init(owning descriptor: Int32, _ mode: Mode, waitingAtMost limit: Duration) throws(Failure) {
        if let failure = Self.wait(for: descriptor, mode, atMost: limit) {
            close(descriptor)
            throw failure
        }
        self.descriptor = descriptor
    }

    /// Takes over the lock of a parent process.
    ///
    /// - Parameter descriptor: That it handed on; owned from now on, and closed on exec.
    package init(inherited descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        close(descriptor)
    }

    /// Waits until nobody has the lock of a file.
    ///
    /// - Returns: Whether it is free now; `nil` if that can't be said, since there is no file or it is another user's.
    package static func isFree(_ path: String, waitingAtMost limit: Duration = .zero) -> Bool? {
        let opened = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard opened >= 0 else { return nil }
        return (try? FileLock(owning: opened, .exclusive, waitingAtMost: limit)) != nil
    }

    /// Does nothing, but for keeping the lock: its last use would otherwise be where it was made.
    package borrowing func holdUntilHere() {}

    private static func wait(for descriptor: Int32, _ mode: Mode, atMost limit: Duration) -> Failure? {
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        while flock(descriptor, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            let number = errno
            guard number == EWOULDBLOCK || number == EINTR else { return .unusable(number: number) }
            guard clock.now < deadline else { return .held }
            // Nothing else ends by itself: neither flock(2) nor F_OFD_SETLKW of fcntl(2) takes a limit, a signal that
            // broke one off would need a handler of the whole process, a thread left waiting would get the lock when
            // nobody wants it any more, and inotify(7) tells that a file is closed before its lock has gone.
            usleep(5_000)
        }
        return nil
    }
}
