/// How a file system is mounted.
package struct MountOptions: Sendable, Hashable {
    /// The first column of /proc/mounts.
    package var name: String

    /// What follows `fuse.` in the third column.
    package var subtype: String

    /// Whether other users than the mounting one may use it.
    package var allowsOthers = false

    /// Whether the kernel checks permission bits by itself; it then refuses announcements to all but their owner.
    package var checksPermissions = false

    /// Whether the mount itself says `ro`; no announcement gets through it then.
    package var isReadOnly = false

    /// Whether the kernel is to be able to read files by itself; see ``BackingFiles``.
    package var wantsPassthrough = false

    /// Further options as for `-o`, for example `nosuid`.
    package var others: [String] = []

    package init(name: String, subtype: String) {
        self.name = name
        self.subtype = subtype
    }

    /// As libfuse takes them, commas within a value escaped.
    var arguments: [String] {
        var arguments = ["fsname=\(name)", "subtype=\(subtype)"] + others
        if allowsOthers { arguments.append("allow_other") }
        if checksPermissions { arguments.append("default_permissions") }
        if isReadOnly { arguments.append("ro") }
        return arguments.map { argument in
            argument.reduce(into: "") { escaped, character in
                if character == "," || character == "\\" { escaped.append("\\") }
                escaped.append(character)
            }
        }
    }
}
