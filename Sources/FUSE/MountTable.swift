internal import Glibc

/// A mount of a FUSE file system as this process sees it.
struct VisibleMount: Sendable, Hashable {
    /// The kernel's number of the mount; used again after it is gone.
    let number: Int

    /// Of the superblock: the minor part of `st_dev`, and the name of the connection below /sys/fs/fuse/connections.
    let deviceMinor: Int
}

/// The FUSE mounts of this process's namespace.
///
/// Everything here reads /proc and never the mount itself, which may have nobody to answer.
enum MountTable {
    /// The mount that is on top at a path.
    ///
    /// - Parameter path: A mount point; opened without asking its file system anything.
    /// - Returns: `nil` if it can't be told, or it is of another kind.
    static func mount(at path: String) -> VisibleMount? {
        let directory = OwnedDescriptor(owning: unsafe open(path, __O_PATH | O_DIRECTORY | O_CLOEXEC))
        guard directory.rawValue >= 0 else { return nil }
        let information = text(of: "/proc/self/fdinfo/\(directory.rawValue)")
        guard let line = information.split(separator: "\n").first(where: { $0.hasPrefix("mnt_id:") }),
            let number = Int(line.dropFirst(7).drop { $0.isWhitespace })
        else { return nil }
        return all().first { $0.number == number }
    }

    /// Whether a mount is still visible: not unmounted, nor detached.
    static func contains(_ mount: VisibleMount) -> Bool {
        all().contains(mount)
    }

    /// proc(5): `/proc/PID/mountinfo`, fields 1 and 3, and the type after the hyphen.
    private static func all() -> [VisibleMount] {
        text(of: "/proc/self/mountinfo").split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", maxSplits: 3)
            guard fields.count == 4, fields[3].contains(" - fuse"), let number = Int(fields[0]),
                let colon = fields[2].firstIndex(of: ":"),
                let minor = Int(fields[2][fields[2].index(after: colon)...])
            else { return nil }
            return VisibleMount(number: number, deviceMinor: minor)
        }
    }

    private static func text(of path: String) -> String {
        let file = OwnedDescriptor(owning: unsafe open(path, O_RDONLY | O_CLOEXEC))
        guard file.rawValue >= 0 else { return "" }
        return String(decoding: readAll(file.rawValue, atMost: 16 << 20), as: UTF8.self)
    }
}
