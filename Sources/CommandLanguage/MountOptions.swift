internal import Spelling

/// The options of a mount, as `-o` and fstab(5) give them.
package struct MountOptions: Hashable, Sendable {
    package private(set) var isReadOnly = false

    /// Whether other users than the mounting one see the books.
    package private(set) var allowsOthers = false

    /// Who the files belong to, instead of the mounting user.
    package private(set) var userID: UInt32?
    package private(set) var groupID: UInt32?

    /// Permission bits that are taken from files and directories.
    package private(set) var permissionMask: UInt32?

    /// What mount(8), systemd and other file systems use, and what makes no difference here.
    private static let ignored: Set<String> = [
        "rw", "defaults", "auto", "noauto", "user", "nouser", "users", "owner", "group", "nofail", "_netdev", "suid",
        "nosuid",
        "dev", "nodev", "exec", "noexec", "async", "sync", "dirsync", "atime", "noatime", "relatime", "norelatime",
        "strictatime", "nostrictatime", "diratime", "nodiratime", "lazytime", "nolazytime", "default_permissions",
        "comment", "fsname",
        "subtype",
    ]

    /// Reads the values of every `-o`.
    ///
    /// - Throws: ``Failure`` for wrong usage, with the option.
    package init(_ values: [String]) throws(Failure) {
        for option in values.flatMap({ $0.split(separator: ",").map(String.init) }) {
            let name = String(option.prefix { $0 != "=" })
            let value = name.count < option.count ? String(option.dropFirst(name.count + 1)) : nil
            switch (name, value) {
            case ("ro", nil): isReadOnly = true
            case ("allow_other", nil): allowsOthers = true
            case ("uid", let value): userID = try MountOptions.number(value, radix: 10, maximum: .max - 1, of: option)
            case ("gid", let value): groupID = try MountOptions.number(value, radix: 10, maximum: .max - 1, of: option)
            case ("umask", let value):
                permissionMask = try MountOptions.number(value, radix: 8, maximum: 0o777, of: option)
            case _ where MountOptions.ignored.contains(name) || name.hasPrefix("x-"): break
            default:
                let known = ["ro", "allow_other", "uid=", "gid=", "umask="]
                let hint = nearestWord(to: name, among: known + MountOptions.ignored.sorted())
                throw .usage("-o: no option is called “\(option)”" + (hint.map { "; did you mean \($0)?" } ?? ""))
            }
        }
    }

    private static func number(
        _ text: String?, radix: Int, maximum: UInt32, of option: String
    ) throws(Failure) -> UInt32 {
        guard let text, text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt32(text, radix: radix),
            number <= maximum
        else { throw .usage("-o: “\(option)” needs a number" + (radix == 8 ? " of octal digits up to 777" : "")) }
        return number
    }
}
