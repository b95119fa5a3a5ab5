internal import Glibc

/// The mount as the announcer sees it: calls on it whose only effect is that the kernel tells those who watch.
///
/// By a path where the mount is writable, since an open descriptor would keep it busy; by a descriptor where the visible
/// mount is read-only and a writable clone of it exists. To be used only by a process that serves nothing: killed in
/// the middle of a call on its own mount it couldn't die.
@safe package final class AnnouncedPath: Sendable {
    private let directory: CInt
    private let prefix: String

    /// - Parameter mountPoint: Absolute.
    package init(mountPoint: String) {
        directory = AT_FDCWD
        prefix = mountPoint + "/"
    }

    /// - Parameter clone: Of ``MountedDevice/writableClone()``; closed with this.
    package init(clone: CInt) {
        directory = clone
        prefix = ""
    }

    deinit {
        if directory >= 0 { close(directory) }
    }

    /// Makes a regular file.
    ///
    /// See mknodat(2).
    package func makeFile(_ path: String) -> Errno? {
        result(unsafe mknodat(directory, prefix + path, S_IFREG | 0o444, 0))
    }

    /// Makes a directory.
    ///
    /// See mkdirat(2).
    package func makeDirectory(_ path: String) -> Errno? {
        result(unsafe mkdirat(directory, prefix + path, 0o755))
    }

    /// Removes a file.
    ///
    /// See unlinkat(2).
    package func removeFile(_ path: String) -> Errno? {
        result(unsafe unlinkat(directory, prefix + path, 0))
    }

    /// Removes a directory.
    ///
    /// See unlinkat(2).
    package func removeDirectory(_ path: String) -> Errno? {
        result(unsafe unlinkat(directory, prefix + path, AT_REMOVEDIR))
    }

    private func result(_ code: CInt) -> Errno? {
        code == 0 ? nil : Errno(rawValue: errno)
    }
}
