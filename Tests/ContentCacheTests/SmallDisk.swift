import Foundation

/// A file system of its own with little room, where this process may mount one.
struct SmallDisk {
    let directory: URL

    /// Whether a test can have one: it needs the right to mount.
    static var isPossible: Bool {
        guard let disk = try? SmallDisk(kibibytes: 64) else { return false }
        disk.remove()
        return true
    }

    init(kibibytes: Int) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let code = Self.run("mount", ["-t", "tmpfs", "-o", "size=\(kibibytes)k", "tmpfs", directory.path])
        guard code == 0 else {
            try? FileManager.default.removeItem(at: directory)
            throw CocoaError(.featureUnsupported)
        }
    }

    func remove() {
        _ = Self.run("umount", ["-l", directory.path])
        try? FileManager.default.removeItem(at: directory)
    }

    private static func run(_ name: String, _ arguments: [String]) -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return -1 }
        process.waitUntilExit()
        return process.terminationStatus
    }
}
