internal import Glibc
internal import Log
internal import Processes
internal import Threads

/// A worker that has another supervisor begin when its own has died.
///
/// The new one is the program started anew, since a process of several threads can't go on as a copy of itself. The worker serves
/// on until that one relieves it by ending it, as it ends every worker before the next begins.
final class SupervisorHeir: Sendable {
    private let supervisor: Int32
    private let plan: DriverPlan
    private let log: Log
    private let signals: SignalQueue

    /// Asks for a signal at the supervisor's death; the calling thread and those that it starts have it blocked from now on.
    ///
    /// - Parameters:
    ///   - supervisor: The number of the process that started this one.
    ///   - plan: Of the driver.
    ///   - log: For the event.
    init(of supervisor: Int32, _ plan: DriverPlan, log: Log) {
        self.supervisor = supervisor
        self.plan = plan
        self.log = log
        signals = SignalQueue([SIGUSR2])
        _ = ThisProcess.dieWithParent(supervisor, signal: SIGUSR2)
    }

    /// Waits for the supervisor's death on a thread of its own.
    ///
    /// - Parameter record: Told which thread that is.
    func keepWatch(_ record: DriverRecord) {
        let thread = WorkerThread(name: "heir") { [self] in
            record.sentinel = ThisProcess.thread
            // The signal alone doesn't say whose parent is gone: anybody may send it.
            while getppid() == supervisor {
                while signals.next() != nil {}
                _ = ThisProcess.wait(for: [signals.descriptor], atMost: .seconds(60))
            }
            begin()
        }
        _ = consume thread
    }

    /// Starts another supervisor, and again should that one end before it has relieved this process.
    private func begin() {
        // Nobody waits for it, as this process serves on; and whoever ends a whole driver, one process after the other, means it.
        var delay: Duration = .milliseconds(100)
        while true {
            ThisProcess.wait(for: delay)
            log.warning("the supervisor is gone; another one is started")
            if let process = try? start() { ChildProcess.waitForEnd(of: process) }
            delay = min(delay * 2, .seconds(10))
        }
    }

    private func start() throws(ChildProcess.Failure) -> Int32 {
        let kept = [
            DriverDescriptor.lock, DriverDescriptor.cacheLock, DriverDescriptor.socket, DriverDescriptor.device,
            DriverDescriptor.board, DriverDescriptor.openCounts, DriverDescriptor.backings, DriverDescriptor.record,
            DriverDescriptor.handover, DriverDescriptor.clone,
        ].filter { fcntl($0, F_GETFD) >= 0 }
        return try ChildProcess.start(
            ThisProcess.executable, arguments: DriverProcess.supervisor.words, environment: ThisProcess.environment,
            passing: kept.map { ChildProcess.Passed($0, as: $0) }, isSessionLeader: !plan.isInForeground)
    }
}
