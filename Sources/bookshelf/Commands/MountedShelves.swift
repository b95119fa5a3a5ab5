internal import Glibc

/// The mounts of this program in this mount namespace, as the kernel lists them; listing asks no mount anything.
struct MountedShelves {
    /// The profile that the mount names as its device.
    let profile: String
    let mountPoint: String
    let isReadOnly: Bool

    /// See proc(5), `/proc/PID/mountinfo`.
    static func all() -> [MountedShelves] {
        lines().compactMap { line in
            let fields = line.split(separator: " ")
            guard let separator = fields.firstIndex(of: "-"), fields.count > separator + 2, separator > 5,
                fields[separator + 1] == "fuse.bookshelf"
            else { return nil }
            return MountedShelves(
                profile: unescaped(fields[separator + 2]), mountPoint: unescaped(fields[4]),
                isReadOnly: fields[5].split(separator: ",").contains("ro"))
        }
    }

    /// Whether nobody serves the mount at a path any more.
    ///
    /// By opening its directory, which the kernel answers from no cache: stat(2) succeeds on a dead mount for as long as
    /// attributes may be remembered.
    static func isDead(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor < 0 else {
            close(descriptor)
            return false
        }
        return errno == ENOTCONN || errno == ECONNABORTED
    }

    private static func lines() -> [Substring] {
        let descriptor = unsafe open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            text += chunk[..<count]
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n")
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
