import Foundation
import TestHarness
import Testing

/// Runs a program, for a bounded time.
final class Command {
    /// How it ended, and what it printed.
    struct Outcome: Equatable {
        var status: Int32
        var output: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    let processID: pid_t
    private let arguments: [String]
    private let output: URL
    private var input: CInt
    private var status: Int32?

    /// Starts a program of /usr/bin, of the build directory (`fuse-...`), or with an absolute path.
    init(_ arguments: [String]) throws {
        self.arguments = arguments
        let name = arguments[0]
        let program =
            name.hasPrefix("fuse-")
            ? Self.products.appendingPathComponent(name).path : name.hasPrefix("/") ? name : "/usr/bin/\(name)"
        output = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        var ends: [CInt] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        input = ends[1]
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output.path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var vector = unsafe ([program] + arguments.dropFirst()).map { unsafe strdup($0) } + [nil]
        defer { unsafe vector.forEach { unsafe free($0) } }
        let settings = ["PATH=/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL=C"]
        var environment = unsafe settings.map { unsafe strdup($0) } + [nil]
        defer { unsafe environment.forEach { unsafe free($0) } }
        var process = pid_t()
        // The threads of a test hold signals back, and children inherit that.
        var attributes = posix_spawnattr_t()
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let result = unsafe posix_spawn(&process, program, &actions, &attributes, &vector, &environment)
        close(ends[0])
        processID = process
        #expect(result == 0, "\(program)")
    }

    deinit {
        closeInput()
        if isRunning {
            kill(processID, SIGKILL)
            waitpid(processID, nil, 0)
        }
        try? FileManager.default.removeItem(at: output)
    }

    /// Runs a program to its end, at most ten seconds.
    static func run(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> Outcome {
        try Command(arguments).finish(sourceLocation: sourceLocation)
    }

    var isRunning: Bool {
        if status != nil { return false }
        var word: CInt = 0
        guard unsafe waitpid(processID, &word, WNOHANG) == processID else { return true }
        status = word & 0x7f == 0 ? word >> 8 & 0xff : word & 0x7f
        return false
    }

    /// What it has printed so far.
    var printed: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

    /// Ends its standard input.
    func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// Waits for its end; after the limit an issue is recorded and the program killed.
    ///
    /// - Returns: With the exit status, or the number of the signal that ended it.
    func finish(within seconds: Double = 10, sourceLocation: SourceLocation = #_sourceLocation) -> Outcome {
        let ended = eventually(within: .seconds(seconds)) { !isRunning }
        #expect(ended, "still running: \(arguments)", sourceLocation: sourceLocation)
        if !ended {
            kill(processID, SIGKILL)
            _ = eventually { !isRunning }
        }
        return Outcome(status: status ?? -1, output: printed)
    }

    /// Where the programs of the package are built.
    static var products: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }
}
