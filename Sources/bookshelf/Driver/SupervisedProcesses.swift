internal import Glibc
internal import Processes

/// The children of a supervisor, and how their ends are counted.
struct SupervisedProcesses {
    private var processes: [Int32: DriverProcess] = [:]
    private var workerStartedAt = ContinuousClock().now
    private var crashesInARow = 0

    /// How many workers have ended within seconds of their start, one after the other.
    private(set) var failuresInARow = 0

    /// The sync that runs.
    var sync: Int32?
    var nextSync: ContinuousClock.Instant?
    var isEnding = false

    /// When a part that has ended is started again.
    private var restarts: [DriverProcess: ContinuousClock.Instant] = [:]

    /// How often a part couldn't be started, one time after the other.
    private var failedStartCounts: [DriverProcess: Int] = [:]

    /// How long there is nothing to do of itself; at most half a minute.
    var timeToNext: Duration {
        // A sync that runs wakes by its end.
        let times = restarts.values + (sync == nil ? [nextSync].compactMap { $0 } : [])
        guard let next = times.min() else { return .seconds(30) }
        return min(max(.milliseconds(1), next - ContinuousClock().now), .seconds(30))
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

    /// Whether the next worker refuses what the kernel sends again: three workers in a row have crashed, and one of those
    /// requests may be why.
    var mustRefuseResent: Bool { crashesInARow >= 3 }

    mutating func set(_ process: Int32, for part: DriverProcess) {
        processes[process] = part
        failedStartCounts[part] = nil
        if part == .worker { workerStartedAt = ContinuousClock().now }
    }

    mutating func remove(_ process: Int32) -> DriverProcess? {
        processes.removeValue(forKey: process)
    }

    /// Counts the end of a worker; being killed, or ending for another catalog, is no crash.
    mutating func noteWorkerEnded(_ ending: ChildProcess.Ending) {
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
        crashesInARow = crashesInARow >= 3 ? 0 : crashesInARow + 1
        failuresInARow += 1
    }

    /// Ends the children of one part, by force if they don't go within two seconds.
    mutating func end(_ part: DriverProcess) {
        for (process, its) in processes where its == part {
            Self.end(process)
            processes[process] = nil
        }
    }

    /// Ends the sync that runs, if any; what it has staged is thrown away.
    mutating func endSync() {
        if let sync { Self.end(sync) }
        sync = nil
    }

    private static func end(_ process: Int32) {
        kill(process, SIGTERM)
        var status: CInt = 0
        for attempt in 0..<400 {
            if unsafe waitpid(process, &status, WNOHANG) != 0 { break }
            if attempt == 398 { kill(process, SIGKILL) }
            usleep(5_000)
        }
    }
}

extension ChildProcess.Ending {
    /// How it ended, for the log.
    var words: String {
        switch self {
        case .exited(let status): "exit status \(status)"
        case .signalled(let signal): "signal \(signal)"
        }
    }
}
