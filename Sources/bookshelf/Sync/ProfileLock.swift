internal import CommandLanguage
internal import FileLock

/// The right to do in a profile what one process does at a time.
///
/// The lock is a file of the data directory, which nobody empties as one empties a cache.
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

    private let lock: FileLock

    /// To be handed to a child process; closed on exec otherwise.
    var descriptor: Int32 { lock.descriptor }

    /// Takes the lock, after waiting for it.
    ///
    /// - Parameters:
    ///   - purpose: What it is for.
    ///   - directory: The data directory, which must exist.
    ///   - limit: How long to wait at most.
    /// - Throws: ``Failure`` when another process has it still, or there can't be one.
    init(_ purpose: Purpose, in directory: String, waitingAtMost limit: Duration) throws(Failure) {
        let path = purpose.path(in: directory)
        do throws(FileLock.Failure) {
            lock = try FileLock(path, .exclusive, waitingAtMost: limit)
        } catch {
            switch error {
            case .held: throw .failed(purpose.refusal)
            case .unusable(let number): throw .failed("\(path) can't be opened: \(SystemWords.of(number))")
            }
        }
    }

    /// Waits until nobody has the lock.
    ///
    /// - Returns: Whether it is free now; `nil` if that can't be said, since there is no file of it or it is another user's.
    static func isFree(_ purpose: Purpose, in directory: String, waitingAtMost limit: Duration = .zero) -> Bool? {
        FileLock.isFree(purpose.path(in: directory), waitingAtMost: limit)
    }

    /// Does nothing, but for keeping the value alive: its last use would otherwise be where it was made.
    func holdUntilHere() {}
}
