internal import FUSE
internal import Glibc
internal import Processes

/// The children of a supervisor, and how their ends are counted.
struct SupervisedProcesses {
    private var processes: [Int32: DriverProcess] = [:]
    private var workerStartedAt = ContinuousClock().now

    /// How many workers have crashed, one after the other, and what all of them worked on.
    private var crashesInARow = 0
    private var suspects: Set<UInt64> = []

    /// How many workers have ended within seconds of their start, one after the other.
    private(set) var failuresInARow = 0

    /// Workers that were killed and can't end yet.
    var lingering: Set<Int32> = []

    /// Since when the worker's main thread has been gone and the rest of it not, and how often that was found to be held.
    var dyingSince: ContinuousClock.Instant?
    var stuckLookCount = 0

    /// The sync that runs.
    var sync: Int32?
    var nextSync: ContinuousClock.Instant?

    /// Whether the next sync also asks sources that failed lately: the first of a mount does, and one that a person wants.
    var asksFailingSources = false
    var isEnding = false

    /// When a part that has ended is started again.
    private var restarts: [DriverProcess: ContinuousClock.Instant] = [:]

    /// How often a part couldn't be started, one time after the other.
    private var failedStartCounts: [DriverProcess: Int] = [:]

    /// When something is to be looked at again.
    private var nextLook: ContinuousClock.Instant?

    /// Whether the worker has begun within the last seconds.
    var isWorkerYoung: Bool { ContinuousClock().now - workerStartedAt < .seconds(10) }

    /// Takes how long there is nothing to do of itself; at most half a minute.
    mutating func takeTimeToNext() -> Duration {
        // A sync that runs wakes by its end.
        let times = restarts.values + [sync == nil ? nextSync : nil, nextLook].compactMap { $0 }
        nextLook = nil
        guard let next = times.min() else { return .seconds(30) }
        return min(max(.milliseconds(1), next - ContinuousClock().now), .seconds(30))
    }

    /// Has the supervisor look again at what it waits for.
    mutating func lookAgain(after delay: Duration) {
        let time = ContinuousClock().now + delay
        nextLook = min(nextLook ?? time, time)
    }

    /// Has a part started again, not at once where it would only end again.
    mutating func restart(_ part: DriverProcess, after delay: Duration = .zero) {
        restarts[part] = ContinuousClock().now + delay
    }

    /// Takes the parts that are to be started now.
    mutating func takeRestarts() -> [DriverProcess] {
        let now = ContinuousClock().now
        let due = restarts.filter { $0.value <= now }.keys
        for part in due { restarts[part] = nil }
        return Array(due)
    }

    /// Counts a part that couldn't be started: the system may be short of processes or memory for a moment.
    ///
    /// - Returns: How often that happened in a row.
    mutating func noteFailedStart(of part: DriverProcess) -> Int {
        failedStartCounts[part, default: 0] += 1
        return failedStartCounts[part] ?? 0
    }

    /// Whether the next worker serves another catalog than the kernel knows.
    private(set) var servesAnother = false

    /// What the next worker does with what the kernel sends again.
    ///
    /// Where three workers in a row have crashed, one of those requests may be why. If all three worked on the same, it is
    /// that.
    var resent: ResentRequests {
        guard crashesInARow >= 3 else { return .answered }
        return suspects.isEmpty ? .allRefused : .refused(suspects.sorted())
    }

    /// The numbers of those that run, by part.
    var children: [DriverProcess: Int32] {
        Dictionary(processes.map { ($0.value, $0.key) }) { first, _ in first }
    }

    func process(of part: DriverProcess) -> Int32? {
        processes.first { $0.value == part }?.key
    }

    mutating func set(_ process: Int32, for part: DriverProcess) {
        processes[process] = part
        failedStartCounts[part] = nil
        guard part == .worker else { return }
        workerStartedAt = ContinuousClock().now
        (dyingSince, stuckLookCount) = (nil, 0)
        // It says soon by which thread its death is seen.
        lookAgain(after: .milliseconds(200))
    }

    mutating func remove(_ process: Int32) -> DriverProcess? {
        processes.removeValue(forKey: process)
    }

    /// Counts the end of a worker; being killed, or ending for another catalog, is no crash.
    ///
    /// - Parameters:
    ///   - ending: How it ended.
    ///   - requests: The numbers of what it worked on.
    mutating func noteWorkerEnded(_ ending: ChildProcess.Ending, workingOn requests: [UInt64]) {
        let isForAnother = ending == .exited(CatalogPlace.replacedStatus)
        // One that ended for another reason before it had forgotten the old one leaves that to the next.
        servesAnother = servesAnother || isForAnother
        let wasLong = ContinuousClock().now - workerStartedAt > .seconds(10)
        if wasLong || isForAnother || ending == .signalled(SIGKILL) {
            crashesInARow = 0
            failuresInARow = 0
            return
        }
        // After the refusal the count begins anew.
        crashesInARow = crashesInARow >= 3 ? 1 : crashesInARow + 1
        suspects = crashesInARow == 1 ? Set(requests) : suspects.intersection(requests)
        failuresInARow += 1
    }

    /// Ends the children of one part, by force if they don't go within two seconds.
    ///
    /// One that can't end even so is among the ``lingering``.
    mutating func end(_ part: DriverProcess) {
        for (process, its) in processes where its == part {
            if !Self.end(process) { lingering.insert(process) }
            processes[process] = nil
        }
    }

    /// Takes note of those among the ``lingering`` that have ended by now.
    ///
    /// - Returns: Whether all have.
    mutating func haveLingeringEnded() -> Bool {
        var status: CInt = 0
        for process in lingering where unsafe waitpid(process, &status, WNOHANG) != 0 { lingering.remove(process) }
        return lingering.isEmpty
    }

    /// Ends the sync that runs, if any; what it has staged is thrown away.
    mutating func endSync() {
        if let sync { _ = Self.end(sync) }
        sync = nil
    }

    private static func end(_ process: Int32) -> Bool {
        // A child keeps its number until it is waited for.
        let handle = ProcessHandle(process)
        kill(process, SIGTERM)
        if handle?.waitForEnd(atMost: .seconds(2)) != true {
            kill(process, SIGKILL)
            _ = handle?.waitForEnd(atMost: .milliseconds(500))
        }
        var status: CInt = 0
        return unsafe waitpid(process, &status, WNOHANG) != 0
    }
}

extension ChildProcess.Ending {
    /// How it ended, for the log.
    var words: String {
        switch self {
        case .exited(let status): "exit status \(status)"
        case .signalled(let signal): Self.name(of: signal).map { "signal \(signal), \($0)" } ?? "signal \(signal)"
        }
    }

    private static func name(of signal: Int32) -> String? {
        let names: [Int32: String] = [
            SIGKILL: "SIGKILL", SIGTERM: "SIGTERM", SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS", SIGILL: "SIGILL",
            SIGFPE: "SIGFPE", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGSYS: "SIGSYS", SIGALRM: "SIGALRM",
        ]
        return names[signal]
    }
}
