internal import CProcess
internal import Glibc

/// What a process of a driver settles about itself when it starts.
package enum ThisProcess {
    /// The file of the program that runs, also after it was replaced on disk.
    package static var executable: String { "/proc/self/exe" }

    /// The variables of the environment, by name.
    package static var environment: [String: String] {
        var variables: [String: String] = [:]
        var entry = unsafe cprocess_environment()
        while let text = unsafe entry.pointee {
            let line = unsafe String(cString: text)
            if let mark = line.firstIndex(of: "=") {
                variables[String(line[..<mark])] = String(line[line.index(after: mark)...])
            }
            unsafe entry += 1
        }
        return variables
    }

    /// Goes on as another program, with the same number, children and environment.
    ///
    /// It gets standard input, output and error, and what is passed; its signals stay blocked as they are. To be called while this
    /// process has one thread. See execve(2).
    ///
    /// - Parameters:
    ///   - path: The program's file.
    ///   - arguments: With the name of the program first.
    ///   - passed: As for ``ChildProcess/start(_:arguments:environment:passing:isSessionLeader:)``.
    /// - Returns: Only if it can't, with the number of errno(3); nothing has changed then.
    package static func become(
        _ path: String, arguments: [String], passing passed: [ChildProcess.Passed]
    ) -> Int32 {
        for one in passed where one.number != one.descriptor { dup2(one.descriptor, one.number) }
        for one in passed { _ = fcntl(one.number, F_SETFD, 0) }
        var vector = unsafe arguments.map { unsafe strdup($0) } + [nil]
        unsafe execv(path, &vector)
        let number = errno
        unsafe vector.forEach { unsafe free($0) }
        for one in passed { _ = fcntl(one.number, F_SETFD, FD_CLOEXEC) }
        for one in passed where one.number != one.descriptor { close(one.number) }
        return number
    }

    /// The number of the calling thread.
    package static var thread: Int32 { cprocess_thread() }

    /// Takes back that a signal comes when the parent is gone.
    package static func outliveParent() {
        _ = cprocess_die_with_parent(0)
    }

    /// Asks for a signal when the parent is gone.
    ///
    /// - Parameters:
    ///   - parent: Who it is; one that is gone already sends no signal.
    ///   - signal: For example `SIGTERM`.
    /// - Returns: Whether the parent is still there.
    package static func dieWithParent(_ parent: Int32, signal: Int32) -> Bool {
        _ = cprocess_die_with_parent(signal)
        return getppid() == parent
    }

    /// Keeps a crash from writing a core file, which would hold reading programs up.
    package static func disableCoreFiles() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }

    /// Lets this process run only while the processors have nothing else to do.
    ///
    /// To be called while it has one thread. See sched(7), SCHED_IDLE.
    package static func runWhenIdle() {
        var parameters = sched_param()
        unsafe sched_setscheduler(0, idlePolicy, &parameters)
    }

    /// SCHED_IDLE of sched(7), which Swift's Glibc module lacks.
    private static var idlePolicy: CInt { 5 }

    /// Makes a write to a pipe or socket that nobody reads fail instead of ending the process.
    package static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Lets the calling thread do nothing for so long.
    package static func wait(for duration: Duration) {
        _ = wait(for: [], atMost: duration)
    }

    /// Waits for something to read.
    ///
    /// - Parameters:
    ///   - descriptors: Any that is closed at its other end counts as readable.
    ///   - limit: How long at most; `nil` for ever.
    /// - Returns: Whether each is readable; all `false` when the time has passed.
    package static func wait(for descriptors: [Int32], atMost limit: Duration?) -> [Bool] {
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var milliseconds: CInt = -1
        if let limit {
            let (seconds, attoseconds) = limit.components
            milliseconds = CInt(clamping: seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        }
        let count = unsafe poll(&polled, nfds_t(polled.count), milliseconds)
        return polled.map { count > 0 && $0.revents != 0 }
    }

    /// Lets the list of processes show other arguments than those that the process was started with.
    ///
    /// They are written over the old ones, which is where ps(1) reads them, and cut where those have ended.
    package static func show(_ words: [String]) {
        guard CommandLine.argc > 0, let start = unsafe CommandLine.unsafeArgv[0],
            let last = unsafe CommandLine.unsafeArgv[Int(CommandLine.argc) - 1]
        else { return }
        let room = unsafe last - start + Int(strlen(last))
        let bytes = words.joined(separator: "\0").utf8.prefix(room)
        unsafe memset(start, 0, room)
        for (offset, byte) in bytes.enumerated() { unsafe start[offset] = CChar(bitPattern: byte) }
    }
}
