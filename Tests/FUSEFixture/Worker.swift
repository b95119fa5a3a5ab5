import FUSE
import Glibc

/// Serves the descriptor of a supervisor.
enum Worker {
    /// - Returns: An exit status.
    static func run(directory: String, descriptor: CInt, initRequest: InitRequest, refusesResent: Bool) -> CInt {
        signal(SIGTERM, SIG_DFL)
        let fileSystem = FixtureFileSystem(in: directory)
        LibfuseLog.send { fileSystem.record("libfuse: \($0)") }
        do {
            let server = try FileSystemServer(
                descriptor: descriptor, initRequest: initRequest, fileSystem: fileSystem,
                resent: refusesResent ? .allRefused : .answered)
            let notifier = server.notifier
            fileSystem.link(BackingFiles(device: descriptor))
            let commands = Thread { obey(in: directory, fileSystem, notifier, server) }
            let ending = server.run()
            fileSystem.record("ended \(ending)")
            commands.detach()
            return 0
        } catch {
            fileSystem.record("error \(error)")
            return 1
        }
    }

    /// Does what the files of a test say.
    private static func obey(
        in directory: String, _ fileSystem: FixtureFileSystem, _ notifier: Notifier, _ server: FileSystemServer
    ) {
        while true {
            if unsafe access("\(directory)/gate", F_OK) == 0 { fileSystem.releaseParked() }
            if unsafe unlink("\(directory)/stop") == 0 { return server.stop() }
            if unsafe unlink("\(directory)/adopt") == 0 { becomeSupervisor(in: directory) }
            do throws(Errno) {
                if unsafe unlink("\(directory)/grow") == 0 {
                    fileSystem.setByteCount(300, of: FixtureFileSystem.memory)
                    try notifier.invalidateAttributes(of: FixtureFileSystem.memory)
                    fileSystem.record("grown")
                }
                if unsafe unlink("\(directory)/add") == 0 {
                    fileSystem.addFile("Added.bin", in: FixtureFileSystem.fiction, as: Inode(rawValue: 97))
                    try notifier.invalidateEntry(Array("Added.bin".utf8).span, in: FixtureFileSystem.fiction)
                    try notifier.invalidateContent(of: FixtureFileSystem.fiction)
                    fileSystem.record("added")
                }
                if unsafe unlink("\(directory)/delete") == 0 {
                    fileSystem.remove(Inode(rawValue: 97))
                    try notifier.notifyDelete(
                        Array("Added.bin".utf8).span, of: Inode(rawValue: 97), in: FixtureFileSystem.fiction)
                    try notifier.notifyDelete(
                        Array("Never there".utf8).span, of: Inode(rawValue: 113), in: FixtureFileSystem.fiction)
                    try notifier.invalidateContent(of: FixtureFileSystem.fiction)
                    fileSystem.record("deleted")
                }
            } catch {
                fileSystem.record("notify \(error.message)")
            }
            usleep(5_000)
        }
    }

    /// What a worker does whose supervisor has died: the same program in its other part, with the same descriptor.
    private static func becomeSupervisor(in directory: String) {
        let arguments = CommandLine.arguments
        if let descriptor = CInt(arguments[3]) { _ = fcntl(descriptor, F_SETFD, 0) }
        let words = ["fuse-fixture", "adopt", directory, arguments[3], arguments[4]]
        var vector = unsafe words.map { unsafe strdup($0) } + [nil]
        unsafe execv("/proc/self/exe", &vector)
    }
}

/// A thread of the fixture.
struct Thread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    private let thread: pthread_t

    init(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let work = unsafe Unmanaged.passRetained(Work(body)).toOpaque()
        unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, work)
        self.thread = thread
    }

    func detach() {
        pthread_detach(thread)
    }
}
