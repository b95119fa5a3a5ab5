internal import Glibc
internal import Processes

/// The parts of a driver, each a copy of the process that starts it, but for those that succeed another program or a supervisor
/// that died: see ``DriverSuccession``.
enum DriverProcess: String, Sendable {
    case supervisor
    case worker
    case announcer

    /// The words of its command line.
    var words: [String] { ["bookshelf", "driver", rawValue] }

    /// Starts the part.
    ///
    /// - Parameters:
    ///   - passed: The descriptors that it gets.
    ///   - isSessionLeader: Whether it leaves the terminal.
    ///   - body: What it does; returns its exit status.
    /// - Returns: The number of the process.
    /// - Throws: ``ChildProcess/Failure``.
    func start(
        passing passed: [ChildProcess.Passed], isSessionLeader: Bool = false, _ body: () -> Int32
    ) throws(ChildProcess.Failure) -> Int32 {
        try ChildProcess.startCopy(
            shownAs: words, passing: passed, isSessionLeader: isSessionLeader
        ) {
            Self.settle()
            return body()
        }
    }

    /// Settles what holds for a process of a driver.
    static func settle() {
        ThisProcess.disableCoreFiles()
        // A worker that was started again says that it is ready to nobody.
        ThisProcess.ignoreBrokenPipes()
    }
}
