internal import Control
internal import FUSE
internal import Glibc
internal import JSON
internal import Settings

/// The driver of a mounted shelf, as far as it can be told without touching the mount.
struct ShelfDriver {
    /// What can be expected of it.
    enum Standing {
        /// It answers.
        case answering

        /// It is there and says nothing: it is stopped, or hangs.
        case silent

        /// Nobody serves the mount.
        case dead

        /// Somebody serves the mount whose files aren't where this user's are.
        case elsewhere
    }

    /// How long it may say nothing.
    private static var silence: Duration { .seconds(3) }

    let standing: Standing

    /// Where its lock and its socket are; `nil` if the mount names no profile.
    private let paths: ProfilePaths?

    init(of shelf: MountedShelf, environment: [String: String]) {
        let name = try? ProfileName(shelf.profile)
        paths = name.flatMap { try? ProfilePaths(profile: $0, environment: environment) }
        standing = Self.standing(of: shelf, paths)
    }

    private static func standing(of shelf: MountedShelf, _ paths: ProfilePaths?) -> Standing {
        guard let paths, ProfileLock.isFree(.driver, in: paths.dataDirectory) == false else {
            // None of ours; so what is asked here answers, is dead, or is somebody else's.
            return shelf.isDisconnected ? .dead : .elsewhere
        }
        do throws(ControlError) {
            let status = try ControlClient(path: paths.socket).send(.status, silence: silence)
            if status["mountPoint"]?.stringValue == shelf.mountPoint { return .answering }
            // It has another mount, and this one was left by a driver before it.
            return shelf.isDisconnected ? .dead : .elsewhere
        } catch .silent {
            // It doesn't say which mount it serves; newer kernels do.
            let lock = ProfileLock.Purpose.driver.path(in: paths.dataDirectory)
            if let served = DriverMembers.connectionNumber(holding: lock) {
                return served == shelf.connectionNumber ? .silent : .elsewhere
            }
            let isOnlyOne = MountedShelf.ownedByThisUser().allSatisfy {
                $0.profile != shelf.profile || $0.mountPoint == shelf.mountPoint
            }
            return isOnlyOne ? .silent : .elsewhere
        } catch {
            return .answering
        }
    }

    /// Waits until the driver has let go of the profile, so that it can be mounted again at once.
    ///
    /// - Returns: `false` if it hasn't by then.
    func waitForEnd(atMost limit: Duration) -> Bool {
        guard let paths, standing == .answering || standing == .silent else { return true }
        return ProfileLock.isFree(.driver, in: paths.dataDirectory, waitingAtMost: limit) ?? true
    }

    /// Ends its processes, whatever they do, and removes its socket.
    ///
    /// - Parameter shelf: What it serves; those who use it still get an error if nothing else helps.
    func kill(serving shelf: MountedShelf) {
        guard let paths else { return }
        let lock = ProfileLock.Purpose.driver.path(in: paths.dataDirectory)
        if !DriverMembers.kill(holding: lock, waitingAtMost: .seconds(2)) {
            try? MountPoint.abortConnection(shelf.connectionNumber)
            DriverMembers.kill(holding: lock, waitingAtMost: .seconds(2))
        }
        unsafe unlink(paths.socket)
    }
}
