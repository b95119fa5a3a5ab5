internal import Glibc

/// The path of a mount point as the kernel's table has it, found without asking what is mounted there.
///
/// realpath(3) and stat(2) of the mount point itself would wait for its driver, which may be stopped, or dead.
enum MountPointPath {
    /// How many symbolic links are followed, as the kernel does.
    private static var maximumLinkCount: Int { 40 }

    /// Resolves a path by its directory alone; a symbolic link in its last part is followed.
    ///
    /// - Returns: Absolute and without symbolic links; `nil` if a directory on the way isn't there.
    static func resolve(_ path: String) -> String? {
        var path = path
        for _ in 0..<maximumLinkCount {
            while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
            let slash = path.lastIndex(of: "/")
            let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
            let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
            // These name a directory by another way than its own name.
            if ["", ".", ".."].contains(name) { return absolute(path) }
            guard let parent = absolute(directory) else { return nil }
            let whole = parent == "/" ? "/\(name)" : "\(parent)/\(name)"
            // What is mounted on can't be a symbolic link, so this stops before it asks a mount.
            guard let target = link(at: whole) else { return whole }
            path = target.hasPrefix("/") ? target : "\(parent)/\(target)"
        }
        return nil
    }

    private static func absolute(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path.isEmpty ? "/" : path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    private static func link(at path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(path, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }
}
