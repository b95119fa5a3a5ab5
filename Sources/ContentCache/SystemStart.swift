internal import Glibc

/// Which start of the system this is.
enum SystemStart {
    /// Another one after each start: random(4), `boot_id`; `nil` where nobody can tell.
    static var current: String? {
        let descriptor = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count > 0, let text = String(validating: bytes[..<count], as: UTF8.self) else { return nil }
        let line = text.prefix { $0 != "\n" }
        return line.isEmpty ? nil : String(line)
    }
}
