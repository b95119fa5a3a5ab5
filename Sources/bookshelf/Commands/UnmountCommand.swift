internal import Arguments
internal import CommandLanguage
internal import FUSE
internal import Glibc

/// `bookshelf unmount MOUNTPOINT`, also of a driver that has died or doesn't answer.
///
/// It never touches the mount itself: a driver that is stopped would keep it waiting.
enum UnmountCommand {
    /// How long a driver that answers may take to end: its parts have two seconds each before they are killed.
    private static var endLimit: Duration { .seconds(10) }

    /// How long one that doesn't answer may take.
    private static var silentEndLimit: Duration { .seconds(3) }

    static func run(_ context: CommandContext) throws(Failure) {
        let given = context.invocation.word(for: .mountPoint) ?? ""
        guard let path = MountPointPath.resolve(given), let shelf = MountedShelf.at(path) else {
            throw .failed("no shelf is mounted at \(given)")
        }
        let driver = ShelfDriver(of: shelf, environment: context.environment)
        try unmount(path, driver.standing)
        let isSilent = driver.standing == .silent
        if !driver.waitForEnd(atMost: isSilent ? silentEndLimit : endLimit) {
            driver.kill(serving: shelf)
            context.warn("the driver of \(path) did not end by itself, so its processes were killed")
        } else if isSilent {
            context.warn("the driver of \(path) did not answer; it was ended")
        }
        context.confirm("Unmounted \(path)")
    }

    private static func unmount(_ path: String, _ standing: ShelfDriver.Standing) throws(Failure) {
        let isLazy = standing == .dead || standing == .silent
        // The announcer may be inside for a moment.
        for attempt in 0..<10 {
            do throws(MountError) {
                return try MountPoint.unmount(path, lazily: isLazy)
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
}
