internal import CProcess
internal import Glibc

/// Starts programs and copies of this one with exactly the descriptors that they are to have, and learns how they ended.
package enum ChildProcess {
    /// Why a program couldn't be started.
    package struct Failure: Error, Hashable, Sendable {
        package let path: String

        /// As errno(3) numbers it.
        package let number: Int32

        /// What happened, in words.
        package var reason: String {
            unsafe "\(path) could not be started: \(String(cString: strerror(number)))"
        }
    }

    /// How a process ended.
    package enum Ending: Hashable, Sendable {
        case exited(Int32)
        case signalled(Int32)
    }

    /// A descriptor of this process and the number under which the child gets it.
    package struct Passed: Hashable, Sendable {
        package let descriptor: Int32
        package let number: Int32

        package init(_ descriptor: Int32, as number: Int32) {
            self.descriptor = descriptor
            self.number = number
        }
    }

    /// Starts a program.
    ///
    /// Its signals are unblocked and set to their defaults. Of this process's descriptors it gets standard input, output
    /// and error, as they are or as passed, and what is passed; everything else must be closed on exec.
    ///
    /// - Parameters:
    ///   - path: The program's file.
    ///   - arguments: With the name of the program first.
    ///   - environment: The whole environment.
    ///   - passed: The numbers that the child gets mustn't be among the descriptors passed.
    ///   - isSessionLeader: Whether it leaves the terminal and process group of this process.
    /// - Returns: The number of the process.
    /// - Throws: ``Failure``.
    package static func start(
        _ path: String, arguments: [String], environment: [String: String], passing passed: [Passed],
        isSessionLeader: Bool = false
    ) throws(Failure) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for one in passed { unsafe posix_spawn_file_actions_adddup2(&actions, one.descriptor, one.number) }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        var flags = CInt(POSIX_SPAWN_SETSIGMASK) | CInt(POSIX_SPAWN_SETSIGDEF)
        if isSessionLeader { flags |= CInt(cprocess_spawn_setsid) }
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

        var process = pid_t()
        let result = unsafe withVector(arguments) { arguments in
            unsafe withVector(environment.map { "\($0.key)=\($0.value)" }) { environment in
                unsafe posix_spawn(&process, path, &actions, &attributes, arguments, environment)
            }
        }
        guard result == 0 else { throw Failure(path: path, number: result) }
        return process
    }

    /// Waits until a child has ended, and takes note of that.
    package static func waitForEnd(of process: Int32) {
        var status: CInt = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    /// Takes note of one child that has ended; never waits.
    ///
    /// - Returns: `nil` if none has.
    package static func reap() -> (process: Int32, ending: Ending)? {
        var status: CInt = 0
        let process = unsafe waitpid(-1, &status, WNOHANG)
        guard process > 0 else { return nil }
        if cprocess_has_exited(status) != 0 { return (process, .exited(cprocess_exit_code(status))) }
        return (process, .signalled(cprocess_signal(status)))
    }

    private static func withVector<Result>(
        _ words: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var vector = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe vector.forEach { unsafe free($0) } }
        return unsafe body(&vector)
    }
}
