internal import BookFileSystem
internal import Catalog
internal import FUSE
internal import Glibc
internal import Log
internal import Processes
internal import SharedMemory

/// The process that holds a mount: it mounts, starts the worker that answers and the announcer that announces, and starts
/// them again when they die.
///
/// Single-threaded and small, so that nothing in it can go wrong that isn't a call to the kernel. It never touches the
/// mount itself.
enum SupervisorProcess {
    static func run(_ plan: DriverPlan) -> Int32 {
        let log = plan.log(for: "supervisor")
        let signals = SignalQueue([SIGCHLD, SIGTERM, SIGINT, SIGHUP])
        do throws(MountError) {
            let supervisor = try Supervisor(plan, signals: signals, log: log)
            return supervisor.run()
        } catch {
            log.error("the mount could not be made", ["reason": .public(error.description)])
            ReadySignal.send(error.description, to: DriverDescriptor.ready)
            return 1
        }
    }
}

/// What the supervisor owns for the life of a mount; used by its one thread.
final class Supervisor {
    /// How often workers may die before they were ready, one after the other.
    private static var maximumFailedStarts: Int { 5 }

    /// How often, and how far apart, a process that can't be started is tried again.
    private static var maximumStartAttempts: Int { 50 }
    private static var startInterval: Duration { .milliseconds(100) }

    /// How long after mounting the first sync begins.
    private static var firstSyncDelay: Duration { .seconds(3) }

    private let plan: DriverPlan
    private let signals: SignalQueue
    private let log: Log
    private let device: MountedDevice
    private let board: SharedRegion
    private let openCounts: SharedRegion
    private let backings: SharedRegion
    private let advance: PipeEnds

    /// As root only: the owner of the writable clone, and its number.
    private let clone: OwnedDescriptor?
    private let cloneDescriptor: Int32?

    init(_ plan: DriverPlan, signals: consuming SignalQueue, log: Log) throws(MountError) {
        var options = MountOptions(name: plan.profile, subtype: "bookshelf")
        options.allowsOthers = plan.allowsOthers
        options.checksPermissions = plan.checksPermissions
        options.others = plan.options
        let isRoot = geteuid() == 0
        // Root's mount becomes read-only once there is a clone through which announcements go.
        options.isReadOnly = plan.isReadOnly && !isRoot
        options.wantsPassthrough = plan.wantsPassthrough
        let memory: (SharedRegion, SharedRegion, SharedRegion)
        do throws(SharedMemoryError) {
            memory = (
                try SharedRegion(wordCount: AnnouncementBoard.wordCount),
                try SharedRegion(wordCount: SharedCounts.wordCount),
                try SharedRegion(wordCount: BackingTable.wordCount)
            )
        } catch {
            throw .cannotServe(reason: "\(error)")
        }
        guard let advance = PipeEnds() else { throw .cannotServe(reason: "no descriptor is left") }
        advance.setNonBlocking()
        let device = try MountedDevice(mountingOn: plan.mountPoint, options: options)
        if isRoot {
            let clone = try device.writableClone()
            cloneDescriptor = clone.rawValue
            self.clone = consume clone
            try device.makeVisibleMountReadOnly()
        } else {
            cloneDescriptor = nil
            clone = nil
        }
        self.plan = plan
        self.signals = signals
        self.log = log
        self.device = device
        (board, openCounts, backings) = memory
        self.advance = advance
    }

    /// Supervises until the mount has ended.
    ///
    /// - Returns: The exit status.
    func run() -> Int32 {
        var state = SupervisedProcesses()
        guard start(.worker, in: &state, isFirst: true) else {
            try? device.unmount(lazily: true)
            return 1
        }
        if announces { _ = start(.announcer, in: &state, isFirst: true) }
        ReadySignal.send(nil, to: DriverDescriptor.ready)
        log.info("mounted", ["path": .public(plan.mountPoint), "profile": .public(plan.profile)])
        if plan.wantsPassthrough, !device.hasPassthrough {
            log.warning(
                "passthrough=on has no effect here; the driver answers every read",
                ["reason": .public(geteuid() == 0 ? "the kernel offers none; it needs 6.9" : "it needs root")])
        }
        for notice in plan.notices { log.warning("a setting was passed over", ["reason": .public(notice)]) }
        // What the user does first, having mounted, goes before.
        if plan.syncInterval > 0 { state.nextSync = ContinuousClock().now + Self.firstSyncDelay }
        while !state.isEnding {
            if device.waitUntilGone(atMost: state.timeToNext, orReadable: signals.descriptor) { break }
            while let signal = signals.next() { handle(signal, &state) }
            startAgain(&state)
            syncIfDue(&state)
        }
        return end(&state)
    }

    private var announces: Bool { cloneDescriptor != nil || !plan.isReadOnly }

    // MARK: - Children

    /// Starts one of the processes and, for a worker, waits until it serves.
    private func start(_ part: DriverProcess, in state: inout SupervisedProcesses, isFirst: Bool) -> Bool {
        guard var ready = PipeEnds() else { return false }
        var passed = [
            ChildProcess.Passed(board.descriptor, as: DriverDescriptor.board),
            ChildProcess.Passed(DriverDescriptor.lock, as: DriverDescriptor.lock),
            ChildProcess.Passed(DriverDescriptor.cacheLock, as: DriverDescriptor.cacheLock),
        ]
        switch part {
        case .worker:
            passed += [
                ChildProcess.Passed(device.descriptor, as: DriverDescriptor.device),
                ChildProcess.Passed(openCounts.descriptor, as: DriverDescriptor.openCounts),
                ChildProcess.Passed(backings.descriptor, as: DriverDescriptor.backings),
                ChildProcess.Passed(advance.writing, as: DriverDescriptor.advance),
                ChildProcess.Passed(DriverDescriptor.socket, as: DriverDescriptor.socket),
                ChildProcess.Passed(ready.writing, as: DriverDescriptor.ready),
            ]
        case .announcer:
            passed.append(ChildProcess.Passed(advance.reading, as: DriverDescriptor.advance))
            if let cloneDescriptor {
                passed.append(ChildProcess.Passed(cloneDescriptor, as: DriverDescriptor.clone))
            }
        case .supervisor: return false
        }
        do throws(ChildProcess.Failure) {
            let mustRefuseResent = state.mustRefuseResent
            let servesAnother = state.servesAnother
            // Asked here: the copy's own parent may be another by the time that it asks.
            let supervisor = getpid()
            let process = try part.start(passing: passed) {
                part == .announcer
                    ? AnnouncerProcess.run(plan, supervisor: supervisor)
                    : WorkerProcess.run(
                        plan, supervisor: supervisor, initRequest: device.initRequest,
                        hasPassthrough: device.hasPassthrough,
                        refusesResent: mustRefuseResent, servesAnother: servesAnother)
            }
            state.set(process, for: part)
        } catch {
            log.error("a process of the driver could not be started", ["reason": .public(error.reason)])
            if isFirst { ReadySignal.send(error.reason, to: DriverDescriptor.ready) }
            return false
        }
        guard part == .worker, isFirst else { return true }
        ready.closeWriting()
        switch ReadySignal.wait(on: ready.reading, atMost: .seconds(30)) {
        case .ready: return true
        case .failed(let reason): ReadySignal.send(reason, to: DriverDescriptor.ready)
        case .died:
            ReadySignal.send(
                "the driver's worker ended before it was ready; see \(plan.logFile)", to: DriverDescriptor.ready)
        case .timedOut:
            ReadySignal.send("the driver's worker was not ready within 30 s", to: DriverDescriptor.ready)
        }
        return false
    }

    private func handle(_ signal: Int32, _ state: inout SupervisedProcesses) {
        switch signal {
        case SIGTERM, SIGINT: state.isEnding = true
        case SIGHUP where plan.syncInterval > 0: state.nextSync = ContinuousClock().now
        default: while let (process, ending) = ChildProcess.reap() { replace(process, ending, &state) }
        }
    }

    private func replace(_ process: Int32, _ ending: ChildProcess.Ending, _ state: inout SupervisedProcesses) {
        guard let part = state.remove(process) else {
            if process == state.sync { state.sync = nil }
            return
        }
        if device.hasHungUp { return }
        log.warning(
            "a process of the driver ended and is started again",
            ["part": .public(part.rawValue), "ending": .public(ending.words)])
        if part == .worker {
            state.noteWorkerEnded(ending)
            if state.servesAnother { prepareForAnotherCatalog(&state) }
            guard state.failuresInARow <= Self.maximumFailedStarts else {
                log.error("the worker ends again and again; the mount is given up")
                state.isEnding = true
                return
            }
            // Only now that it is gone can none of its threads be reading; what it had read comes again.
            if device.initRequest.supportsResend { try? device.resend() }
        }
        state.restart(part, after: delay(beforeRestarting: part, ending, state))
    }

    /// How long to leave a part that has ended: one that fails at once would only fail again.
    private func delay(
        beforeRestarting part: DriverProcess, _ ending: ChildProcess.Ending, _ state: SupervisedProcesses
    ) -> Duration {
        switch (part, ending) {
        case (.worker, _) where state.failuresInARow > 1: .milliseconds(50 << min(state.failuresInARow, 5))
        // It couldn't read the catalog: a damaged one takes a moment to be rebuilt.
        case (.announcer, .exited(let status)) where status != 0: .seconds(1)
        default: .zero
        }
    }

    /// Starts what is to be started again by now.
    private func startAgain(_ state: inout SupervisedProcesses) {
        for part in state.takeRestarts() where !start(part, in: &state, isFirst: false) {
            // Without a worker every reader would wait for ever.
            guard state.noteFailedStart(of: part) < Self.maximumStartAttempts else {
                log.error("a process of the driver can't be started again; the mount is given up")
                state.isEnding = true
                return
            }
            state.restart(part, after: Self.startInterval)
        }
    }

    /// Has everything begin anew that followed the old catalog.
    private func prepareForAnotherCatalog(_ state: inout SupervisedProcesses) {
        state.end(.announcer)
        let board = AnnouncementBoard(in: board)
        board.invalidatedAnchor = SyncAnchor(rawValue: 0)
        board.announcedAnchor = SyncAnchor(rawValue: 0)
        // An older kernel keeps names of the old catalog that the next worker doesn't know to take back, for a day.
        if !device.forgetNames() {
            log.warning("the kernel may show names of the old catalog still; mount the shelf anew")
        }
        if announces { state.restart(.announcer) }
    }

    // MARK: - Syncs

    /// Starts a sync of all sources as a process of its own, so that its memory goes with it.
    private func syncIfDue(_ state: inout SupervisedProcesses) {
        guard plan.syncInterval > 0, state.sync == nil, let due = state.nextSync, due <= ContinuousClock().now else {
            return
        }
        // A tenth to both sides, so that many machines don't ask a store in step.
        let interval = Duration.milliseconds(plan.syncInterval)
        state.nextSync = ContinuousClock().now + interval * Double.random(in: 0.9...1.1)
        state.sync = try? ChildProcess.start(
            ThisProcess.executable,
            arguments: ["bookshelf", "--profile", plan.profile, "--quiet", "sync"],
            environment: ThisProcess.environment, passing: [])
    }

    // MARK: - End

    /// Unmounts, ends the children and removes the socket.
    private func end(_ state: inout SupervisedProcesses) -> Int32 {
        let wasGone = device.isGone
        // The announcer first: it may be inside the mount, and would keep it busy.
        state.end(.announcer)
        if !wasGone {
            do throws(MountError) {
                try device.unmount(lazily: false)
            } catch {
                // In use: it goes with its last user; the names are gone at once.
                try? device.unmount(lazily: true)
            }
        }
        state.end(.worker)
        state.endSync()
        unsafe unlink(plan.socket)
        log.info("unmounted", ["path": .public(plan.mountPoint)])
        return 0
    }
}
