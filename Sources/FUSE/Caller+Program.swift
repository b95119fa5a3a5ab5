internal import Glibc

extension Caller {
    /// What the kernel adds to the path of an executable that was replaced, as an upgrade does: proc(5).
    private static let removedMark = " (deleted)"

    /// Programs that do nothing but load the plugin that is their first argument: the workers of KDE's input and output, of which
    /// one reads files and another draws thumbnails.
    private static let loaders: Set<String> = ["kioslave", "kioslave5", "kioworker"]

    /// The name of the program that makes the call: the last part of its executable's path, or of its plugin's for a program that
    /// only loads one.
    ///
    /// Whatever thread of it calls, and whatever that calls itself. `nil` where the kernel doesn't tell: a caller that is gone,
    /// lives in another process namespace, or belongs to another user. See proc(5), `/proc/PID/exe`.
    package var programName: String? {
        guard processID > 0 else { return nil }
        let path = "/proc/\(processID)/exe"
        let target: String? = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = unsafe readlink(path, start, buffer.count)
            guard count > 0 else { return nil }
            return unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
        }
        guard var target else { return nil }
        if target.hasSuffix(Self.removedMark) { target.removeLast(Self.removedMark.count) }
        guard let name = Self.lastPart(of: target) else { return nil }
        guard Self.loaders.contains(name), let plugin = firstArgument.flatMap(Self.lastPart) else { return name }
        return plugin
    }

    private static func lastPart(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        return String(path[path.index(after: slash)...])
    }

    private var firstArgument: String? {
        let file = unsafe open("/proc/\(processID)/cmdline", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe read(file, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let words = bytes[..<count].split(separator: 0, omittingEmptySubsequences: false)
        return words.count > 1 ? String(decoding: words[1], as: UTF8.self) : nil
    }
}
