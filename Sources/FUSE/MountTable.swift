internal import Glibc

/// A mount of a FUSE file system as this process sees it.
package struct VisibleMount: Sendable, Hashable {
    /// The kernel's number of the mount; used again after it is gone.
    let number: Int

    /// Of the superblock: the minor part of `st_dev`, and the name of the connection below /sys/fs/fuse/connections.
    package let deviceMinor: Int

    /// Absolute and without symbolic links.
    package let path: String

    /// For example `fuse.bookshelf`.
    package let type: String

    /// What the mount names as its device.
    package let source: String

    /// Who has mounted it, where the kernel says so.
    package let ownerID: UInt32?
}

/// The FUSE mounts of this process's namespace.
///
/// Everything here reads /proc and never the mount itself, which may have nobody to answer.
package enum MountTable {
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
        // It may have got another path, or become read-only, meanwhile.
        all().contains { $0.number == mount.number && $0.deviceMinor == mount.deviceMinor }
    }

    /// The number of the connection that a process serves: `fuse_connection` of proc_pid_fdinfo(5).
    ///
    /// - Parameters:
    ///   - descriptor: Of the device in that process.
    ///   - process: Its number.
    /// - Returns: `nil` if it has no such descriptor, or the kernel doesn't say.
    package static func connectionNumber(servedBy descriptor: Int32, of process: Int32) -> Int? {
        for line in text(of: "/proc/\(process)/fdinfo/\(descriptor)").split(separator: "\n") {
            guard line.hasPrefix("fuse_connection:") else { continue }
            return Int(line.drop { $0 != ":" }.dropFirst().drop { $0.isWhitespace })
        }
        return nil
    }

    /// In the order in which they were mounted.
    package static func all() -> [VisibleMount] {
        text(of: "/proc/self/mountinfo").split(separator: "\n").compactMap { VisibleMount(line: $0) }
    }

    private static func text(of path: String) -> String {
        let file = OwnedDescriptor(owning: unsafe open(path, O_RDONLY | O_CLOEXEC))
        guard file.rawValue >= 0 else { return "" }
        return String(decoding: readAll(file.rawValue, atMost: 16 << 20), as: UTF8.self)
    }
}

extension VisibleMount {
    /// The mount that a line tells of; none for a mount of another kind.
    ///
    /// - Parameter line: Of `/proc/PID/mountinfo`, see proc(5).
    package init?(line: Substring) {
        let fields = line.split(separator: " ")
        // Between the options and the hyphen stand any number of tags.
        guard let hyphen = fields.dropFirst(6).firstIndex(of: "-"), fields.count > hyphen + 3,
            let number = Int(fields[0]), let colon = fields[2].firstIndex(of: ":"),
            let minor = Int(fields[2][fields[2].index(after: colon)...])
        else { return nil }
        let type = Self.unescaped(fields[hyphen + 1])
        guard type.hasPrefix("fuse") else { return nil }
        let options = fields[hyphen + 3].split(separator: ",")
        self.number = number
        deviceMinor = minor
        path = Self.unescaped(fields[4])
        self.type = type
        source = Self.unescaped(fields[hyphen + 2])
        ownerID = options.first { $0.hasPrefix("user_id=") }.flatMap { UInt32($0.dropFirst(8)) }
    }

    /// Blanks and the like are three octal digits behind a backslash.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
