internal import Glibc

/// The error number that a file system operation answers to the kernel.
///
/// Only the numbers that are answered are named. See errno(3) and the ERRORS section of the system call concerned:
/// answering a number that the call doesn't document confuses programs.
package struct Errno: Error, RawRepresentable, Hashable, Sendable {
    package let rawValue: CInt

    package init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// What the last failed C function of this thread left.
    static var current: Errno { Errno(rawValue: errno) }

    /// The call isn't permitted to this caller; the corresponding C error is `EPERM`.
    package static var notPermitted: Errno { Errno(rawValue: EPERM) }

    /// No entry of that name; the corresponding C error is `ENOENT`.
    package static var noSuchFileOrDirectory: Errno { Errno(rawValue: ENOENT) }

    /// A signal interrupted the call; the corresponding C error is `EINTR`.
    package static var interrupted: Errno { Errno(rawValue: EINTR) }

    /// Something failed below that the program can't act on; the corresponding C error is `EIO`.
    package static var inputOutput: Errno { Errno(rawValue: EIO) }

    /// A seek beyond the last data; the corresponding C error is `ENXIO`.
    package static var noSuchAddress: Errno { Errno(rawValue: ENXIO) }

    /// The caller may not do that; the corresponding C error is `EACCES`.
    package static var accessDenied: Errno { Errno(rawValue: EACCES) }

    /// The name is taken; the corresponding C error is `EEXIST`.
    package static var fileExists: Errno { Errno(rawValue: EEXIST) }

    /// The inode isn't a directory; the corresponding C error is `ENOTDIR`.
    package static var notADirectory: Errno { Errno(rawValue: ENOTDIR) }

    /// The inode is a directory; the corresponding C error is `EISDIR`.
    package static var isADirectory: Errno { Errno(rawValue: EISDIR) }

    /// An argument makes no sense here; the corresponding C error is `EINVAL`.
    package static var invalidArgument: Errno { Errno(rawValue: EINVAL) }

    /// Too many files are open; the corresponding C error is `ENFILE`.
    package static var tooManyOpenFiles: Errno { Errno(rawValue: ENFILE) }

    /// The inode takes no such request; the corresponding C error is `ENOTTY`.
    package static var inappropriateControl: Errno { Errno(rawValue: ENOTTY) }

    /// No room is left; the corresponding C error is `ENOSPC`.
    package static var noSpace: Errno { Errno(rawValue: ENOSPC) }

    /// The file system is read-only; the corresponding C error is `EROFS`.
    package static var readOnlyFileSystem: Errno { Errno(rawValue: EROFS) }

    /// The buffer is too small for the value; the corresponding C error is `ERANGE`.
    package static var resultTooLarge: Errno { Errno(rawValue: ERANGE) }

    /// The name has more than 255 bytes; the corresponding C error is `ENAMETOOLONG`.
    package static var nameTooLong: Errno { Errno(rawValue: ENAMETOOLONG) }

    /// The kernel need not ask this again; the corresponding C error is `ENOSYS`.
    package static var notImplemented: Errno { Errno(rawValue: ENOSYS) }

    /// No such extended attribute, or no such content; the corresponding C error is `ENODATA`.
    package static var noData: Errno { Errno(rawValue: ENODATA) }

    /// That isn't supported here; the corresponding C error is `ENOTSUP`.
    package static var notSupported: Errno { Errno(rawValue: ENOTSUP) }

    /// The deadline passed; the corresponding C error is `ETIMEDOUT`.
    package static var timedOut: Errno { Errno(rawValue: ETIMEDOUT) }

    /// The source can't be reached; the corresponding C error is `EHOSTUNREACH`.
    package static var noRouteToHost: Errno { Errno(rawValue: EHOSTUNREACH) }

    /// The bytes behind this handle or inode can't be had any more; the corresponding C error is `ESTALE`.
    package static var staleHandle: Errno { Errno(rawValue: ESTALE) }

    /// The mount is gone; the corresponding C error is `ENOTCONN`.
    package static var notConnected: Errno { Errno(rawValue: ENOTCONN) }

    /// The connection to the kernel has ended; the corresponding C error is `ENODEV`.
    package static var noSuchDevice: Errno { Errno(rawValue: ENODEV) }
}

extension Errno {
    /// What strerror(3) says, in the C locale.
    package var message: String {
        guard let text = unsafe strerror(rawValue) else { return "error \(rawValue)" }
        return unsafe String(cString: text)
    }
}
