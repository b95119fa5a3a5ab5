internal import CommandLanguage
internal import Glibc

/// The right to sync or import in a profile: one process at a time.
///
/// The lock belongs to the open file and goes with the process, however it ends. See flock(2).
struct ProfileLock: ~Copyable {
    private let descriptor: Int32

    /// Waits until no other sync of the profile runs.
    ///
    /// - Parameters:
    ///   - directory: The data directory, which must exist.
    ///   - limit: How long at most.
    /// - Throws: ``Failure`` when the other one hasn't ended by then.
    init(in directory: String, waitingAtMost limit: Duration) throws(Failure) {
        let path = "\(directory)/sync.lock"
        let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else { throw .failed("\(path) can't be opened: \(SystemWords.current)") }
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        while flock(opened, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, clock.now < deadline else {
                close(opened)
                throw .failed("another sync or import of this profile is running; try again when it has ended")
            }
            usleep(50_000)
        }
        descriptor = opened
    }

    /// Does nothing, but for keeping the value alive: its last use would otherwise be where it was made.
    func holdUntilHere() {}

    deinit {
        close(descriptor)
    }
}

/// What the system says of its last error.
enum SystemWords {
    static var current: String { unsafe String(cString: strerror(errno)) }
}
