internal import FUSE
internal import Glibc

/// A mount of this program in this mount namespace, as the kernel lists it; listing asks no mount anything.
struct MountedShelf {
    /// As mountinfo names what this program mounts.
    private static var type: String { "fuse.bookshelf" }

    /// The profile that the mount names as its device.
    let profile: String

    /// Absolute and without symbolic links.
    let mountPoint: String

    /// Of the connection to whoever serves it.
    let connectionNumber: Int

    /// Those that this user has mounted.
    static func ownedByThisUser() -> [MountedShelf] {
        MountTable.all().filter { $0.ownerID == geteuid() }.compactMap(MountedShelf.init)
    }

    /// The shelf that is on top at a path.
    ///
    /// - Parameter path: As ``MountPointPath`` resolves it.
    /// - Returns: `nil` if none is, or another file system is mounted over it.
    static func at(_ path: String) -> MountedShelf? {
        MountTable.all().last { $0.path == path }.flatMap(MountedShelf.init)
    }

    private init?(_ mount: VisibleMount) {
        guard mount.type == Self.type else { return nil }
        profile = mount.source
        mountPoint = mount.path
        connectionNumber = mount.deviceMinor
    }

    /// Whether nobody serves the mount any more.
    ///
    /// By opening its directory, which the kernel answers from no cache: stat(2) succeeds on a dead mount for as long as
    /// attributes may be remembered. A driver that is there and doesn't answer keeps the caller waiting: first ask
    /// ``ShelfDriver`` whether there is one.
    var isDisconnected: Bool {
        let descriptor = unsafe open(mountPoint, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor < 0 else {
            close(descriptor)
            return false
        }
        return errno == ENOTCONN || errno == ECONNABORTED
    }
}
