internal import Arguments
internal import CommandLanguage
internal import Control
internal import FUSE
internal import Glibc
internal import Settings

/// `bookshelf unmount MOUNTPOINT`, also of a driver that has died.
enum UnmountCommand {
    /// How long the driver may take to end.
    private static var endLimit: Duration { .seconds(15) }

    static func run(_ context: CommandContext) throws(Failure) {
        let path = absolute(context.invocation.word(for: .mountPoint) ?? "")
        guard let shelf = MountedShelves.all().last(where: { $0.mountPoint == path }) else {
            throw .failed("no shelf is mounted at \(path)")
        }
        try unmount(path, isDead: MountedShelves.isDead(path))
        waitForEnd(of: shelf, context)
        if !context.isQuiet { try context.print("Unmounted \(path)") }
    }

    private static func unmount(_ path: String, isDead: Bool) throws(Failure) {
        // The announcer may be inside for a moment.
        for attempt in 0..<10 {
            do throws(MountError) {
                return try MountPoint.unmount(path, lazily: isDead)
            } catch {
                if case .busy = error, attempt < 9 {
                    usleep(100_000)
                    continue
                }
                if case .busy = error {
                    throw .failed(
                        "\(path) is in use; close the programs that have a book or directory of it open (fuser -m \(path) names them)"
                    )
                }
                throw .failed(error.description)
            }
        }
    }

    /// Waits until the driver has let go of the profile, so that it can be mounted again at once.
    private static func waitForEnd(of shelf: MountedShelves, _ context: CommandContext) {
        guard let profile = try? ProfileName(shelf.profile),
            let paths = try? ProfilePaths(profile: profile, environment: context.environment)
        else { return }
        let clock = ContinuousClock()
        let deadline = clock.now + endLimit
        while clock.now < deadline, unsafe access(paths.socket, F_OK) == 0 { usleep(10_000) }
    }

    /// The path as the kernel's table has it; a dead mount can't be resolved itself, its directory can.
    private static func absolute(_ path: String) -> String {
        if let resolved = unsafe realpath(path, nil) {
            defer { unsafe free(resolved) }
            return unsafe String(cString: resolved)
        }
        let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        let slash = trimmed.lastIndex(of: "/")
        let directory = slash.map { $0 == trimmed.startIndex ? "/" : String(trimmed[..<$0]) } ?? "."
        guard let resolved = unsafe realpath(directory, nil) else { return path }
        defer { unsafe free(resolved) }
        let parent = unsafe String(cString: resolved)
        let name = slash.map { String(trimmed[trimmed.index(after: $0)...]) } ?? trimmed
        return parent == "/" ? "/\(name)" : "\(parent)/\(name)"
    }
}
