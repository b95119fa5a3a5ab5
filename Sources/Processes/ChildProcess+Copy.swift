internal import CProcess
internal import Glibc

extension ChildProcess {
    /// Starts a copy of this process that does something else.
    ///
    /// What it costs less than a program that is started anew: no library is loaded and linked again, and none of their
    /// pages counts in it before it uses them.
    ///
    /// To be called while this process has one thread: locks that others hold would stay locked in the copy. Its signals
    /// are unblocked and set to their defaults. Of this process's descriptors it has standard input, output and error, as
    /// they are or as passed, and what is passed, closed on exec; all others are closed in it, whoever owns them. See
    /// fork(2).
    ///
    /// - Parameters:
    ///   - words: What the list of processes shows as its arguments, as far as this process's own have room.
    ///   - passed: As for ``start(_:arguments:environment:passing:isSessionLeader:)``.
    ///   - isSessionLeader: Whether it leaves the terminal and process group of this process.
    ///   - body: What it does; returns its exit status.
    /// - Returns: The number of the process.
    /// - Throws: ``Failure``.
    package static func startCopy(
        shownAs words: [String], passing passed: [Passed], isSessionLeader: Bool = false, _ body: () -> Int32
    ) throws(Failure) -> Int32 {
        let process = cprocess_fork()
        guard process >= 0 else { throw Failure(path: ThisProcess.executable, number: errno) }
        guard process == 0 else { return process }
        if isSessionLeader { setsid() }
        resetSignals()
        keepOnly(passed)
        ThisProcess.show(words)
        // Nothing of what this process had planned for its own end is the copy's.
        _exit(body())
    }

    /// Gives descriptors the numbers under which they are passed, and closes all others but the standard ones.
    package static func keepOnly(_ passed: [Passed]) {
        for one in passed where one.number != one.descriptor { dup2(one.descriptor, one.number) }
        var first: UInt32 = 3
        for number in passed.map(\.number).filter({ $0 >= 3 }).sorted() {
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
            if UInt32(number) > first { close(from: first, through: UInt32(number) - 1) }
            first = UInt32(number) + 1
        }
        close(from: first, through: .max)
    }

    private static func close(from first: UInt32, through last: UInt32) {
        guard cprocess_close_range(first, last) != 0 else { return }
        // Linux before 5.9: as many as a process of this program ever has.
        for descriptor in first...min(last, 1_023) { _ = Glibc.close(Int32(descriptor)) }
    }

    /// Among those that lose their handlers are the signals of a crash: Swift's own looks for symbols for seconds, during
    /// which whoever waits for the copy would go on waiting.
    private static func resetSignals() {
        for number in 1..<firstRealTimeSignal { signal(number, SIG_DFL) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigprocmask(SIG_SETMASK, &none, nil)
    }

    /// The first of the signals that mean nothing to anybody before a program gives them a meaning.
    private static var firstRealTimeSignal: Int32 { 32 }
}
