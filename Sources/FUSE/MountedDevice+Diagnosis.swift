internal import CFuse3
internal import Glibc

/// What can be wrong with a mount, found out before or after.
extension MountedDevice {
    /// - Returns: The path, absolute and without symbolic links.
    static func checkMountPoint(_ path: String) throws(MountError) -> String {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            switch errno {
            case ENOENT: throw .noMountPoint(path: path)
            case ENOTDIR: throw .mountPointNotADirectory(path: path)
            case ENOTCONN, ECONNABORTED: throw .deadMount(path: path)
            default: throw .mountPointUnusable(path: path, .current)
            }
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .mountPointNotADirectory(path: path) }
        guard let resolved = unsafe realpath(path, nil) else { throw .mountPointUnusable(path: path, .current) }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Whether /etc/fuse.conf lets ordinary users mount with `allow_other`.
    static var configurationAllowsOthers: Bool {
        let file = OwnedDescriptor(owning: unsafe open("/etc/fuse.conf", O_RDONLY | O_CLOEXEC))
        guard file.rawValue >= 0 else { return false }
        let text = String(decoding: readAll(file.rawValue, atMost: 1 << 16), as: UTF8.self)
        return text.split(separator: "\n").contains { line in
            line.split(whereSeparator: \.isWhitespace) == ["user_allow_other"]
        }
    }

    /// The reason of a failed mount, as exactly as can be told.
    ///
    /// - Parameter words: What libfuse and its helper printed.
    /// - Returns: The best guess; the words where there is none.
    static func diagnose(_ words: String) -> MountError {
        let device = OwnedDescriptor(owning: unsafe open("/dev/fuse", O_RDWR | O_CLOEXEC))
        if device.rawValue < 0 {
            switch errno {
            case ENOENT, ENXIO, ENODEV: return .noDevice
            case EACCES, EPERM: return .noPermission(reason: "/dev/fuse can't be opened")
            default: break
            }
        }
        if geteuid() != 0, MountPoint.installedHelper == nil { return .noHelper }
        let folded = words.lowercased()
        if folded.contains("operation not permitted") || folded.contains("permission denied")
            || folded.contains("user has no")
        {
            return .noPermission(reason: words)
        }
        return .refused(reason: words.isEmpty ? "no reason was given" : words)
    }
}
