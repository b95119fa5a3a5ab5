internal import Arguments
internal import CommandLanguage
internal import Glibc
internal import JSON
internal import Settings

/// `bookshelf mount MOUNTPOINT --replace`: puts the driver that runs on this program.
///
/// The mount stays as it is, with the options and settings that it was made with. Nothing changes if this program doesn't get ready
/// to serve.
enum ReplaceCommand {
    /// How long the driver may take: its parts have ten seconds each.
    private static var limit: Duration { .seconds(40) }

    static func run(_ context: CommandContext) throws(Failure) {
        let given = context.invocation.word(for: .mountPoint) ?? ""
        guard let path = MountPointPath.resolve(given), let shelf = MountedShelf.at(path) else {
            throw .failed("no shelf is mounted at \(given); mount it without --replace")
        }
        guard shelf.profile == context.profile.text else {
            throw .failed("\(path) is the mount of profile “\(shelf.profile)”; name it with --profile")
        }
        let profile = try ProfileState(context)
        guard let before = try profile.driverStatus(), before["mountPoint"]?.stringValue == path,
            let supervisor = before["supervisorPid"]?.integerValue, supervisor > 1
        else { throw .failed("the driver of \(path) doesn't run any more; unmount it, then mount it again") }
        let count = before["replacements"]?.integerValue ?? 0
        // The driver takes the program of whoever sends this.
        guard kill(Int32(clamping: supervisor), SIGUSR1) == 0 else {
            throw .failed("the driver of \(path) can't be told: \(SystemWords.current)")
        }
        let deadline = ContinuousClock().now + limit
        while ContinuousClock().now < deadline {
            // Looked at again and again: whoever could tell of it is replaced meanwhile, worker and supervisor.
            usleep(20_000)
            // Between two workers there may be nobody to answer.
            guard let now = try? profile.driverStatus(), let settled = now["replacements"]?.integerValue,
                settled > count
            else { continue }
            if let reason = now["replacementFailure"]?.stringValue {
                throw .failed("\(reason); the mount goes on as it was")
            }
            context.confirm("The driver of \(path) is bookshelf \(Bookshelf.version) now")
            return
        }
        let log = (try? profile.paths.log(by: profile.settings)) ?? "its log"
        throw .failed("the driver of \(path) has not taken this program in time; see \(log)")
    }
}
