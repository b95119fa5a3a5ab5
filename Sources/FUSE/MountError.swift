/// Why a file system couldn't be mounted, unmounted or served.
package enum MountError: Error, Hashable, Sendable {
    case noMountPoint(path: String)
    case mountPointNotADirectory(path: String)

    /// A driver died there and left its mount behind; ``MountPoint/unmount(_:lazily:)`` cleans it up.
    case deadMount(path: String)
    case mountPointUnusable(path: String, Errno)

    /// The kernel has no FUSE, or its module isn't loaded.
    case noDevice
    case noPermission(reason: String)

    /// An ordinary user mounts through the program fusermount3, which isn't installed.
    case noHelper

    /// `allow_other` was asked for by an ordinary user, and /etc/fuse.conf has no line `user_allow_other`.
    case allowOtherForbidden

    /// libfuse doesn't know an option.
    case optionsRejected(reason: String)

    /// Anything else, in the words of libfuse or fusermount3.
    case refused(reason: String)

    /// The kernel didn't begin as it should.
    case noInit(reason: String)

    /// A file or directory of the mount is in use.
    case busy(path: String)
    case notMounted(path: String)
    case cannotServe(reason: String)

    /// A request to the kernel failed.
    case callFailed(name: String, Errno)
}

extension MountError: CustomStringConvertible {
    /// What happened and what to do, in a sentence or two.
    package var description: String {
        switch self {
        case .noMountPoint(let path): "The mount point \(path) doesn't exist. Create it: mkdir \(path)"
        case .mountPointNotADirectory(let path): "The mount point \(path) isn't a directory."
        case .deadMount(let path):
            "\(path) is the mount of a driver that has died. Unmount it first: fusermount3 -u -z \(path)"
        case .mountPointUnusable(let path, let error): "The mount point \(path) can't be used: \(error.message)."
        case .noDevice: "There is no /dev/fuse. Load the kernel's module: modprobe fuse"
        case .noPermission(let reason): "You aren't allowed to mount: \(reason)."
        case .noHelper: "fusermount3, which mounts for ordinary users, isn't installed. Install the package fuse3."
        case .allowOtherForbidden:
            "allow_other needs a line user_allow_other in /etc/fuse.conf, which the administrator can add."
        case .optionsRejected(let reason): "A mount option isn't known: \(reason)."
        case .refused(let reason): "The mount was refused: \(reason)."
        case .noInit(let reason): "The kernel didn't start the mount: \(reason)."
        case .busy(let path): "\(path) is in use. Close what is open there, or unmount lazily."
        case .notMounted(let path): "Nothing is mounted on \(path)."
        case .cannotServe(let reason): "The mount can't be served: \(reason)."
        case .callFailed(let name, let error): "\(name) failed: \(error.message)."
        }
    }
}
