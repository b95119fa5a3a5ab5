internal import CommandLanguage
internal import Glibc

/// The right to do in a profile what one process does at a time.
///
/// The lock is a file of the data directory, which nobody empties as one empties a cache. It belongs to the open file
/// and goes with the last process that has it, however that ends. See flock(2).
struct ProfileLock: ~Copyable {
    /// What the lock is for.
    enum Purpose: String {
        /// To sync or import.
        case sync

        /// To be the profile's one driver, or to work on its cache without one.
        case driver

        fileprivate var refusal: String {
            switch self {
            case .sync: "another sync or import of this profile is running; try again when it has ended"
            case .driver:
                "another process is at work on the books of this profile; try again when it has ended"
            }
        }

        /// Where the file of the lock is.
        func path(in directory: String) -> String { "\(directory)/\(rawValue).lock" }
    }

    /// To be handed to a child process; closed on exec otherwise.
    let descriptor: Int32

    /// Takes the lock, after waiting for it.
    ///
    /// - Parameters:
    ///   - purpose: What it is for.
    ///   - directory: The data directory, which must exist.
    ///   - limit: How long to wait at most.
    /// - Throws: ``Failure`` when another process has it still, or there can't be one.
    init(_ purpose: Purpose, in directory: String, waitingAtMost limit: Duration) throws(Failure) {
        let path = purpose.path(in: directory)
        let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else { throw .failed("\(path) can't be opened: \(SystemWords.current)") }
        guard Self.lock(opened, waitingAtMost: limit) else {
            close(opened)
            throw .failed(purpose.refusal)
        }
        descriptor = opened
    }

    /// Waits until nobody has the lock.
    ///
    /// - Returns: Whether it is free now; `nil` if that can't be said, since there is no file of it or it is another user's.
    static func isFree(_ purpose: Purpose, in directory: String, waitingAtMost limit: Duration = .zero) -> Bool? {
        let opened = unsafe open(purpose.path(in: directory), O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard opened >= 0 else { return nil }
        defer { close(opened) }
        return lock(opened, waitingAtMost: limit)
    }

    private static func lock(_ descriptor: Int32, waitingAtMost limit: Duration) -> Bool {
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, clock.now < deadline else { return false }
            usleep(10_000)
        }
        return true
    }

    /// Does nothing, but for keeping the value alive: its last use would otherwise be where it was made.
    func holdUntilHere() {}

    deinit {
        close(descriptor)
    }
}
