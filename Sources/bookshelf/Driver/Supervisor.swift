internal import BookFileSystem
internal import FUSE
internal import Glibc
internal import Log
internal import Processes
internal import Settings
internal import SharedMemory
internal import Shelf

/// What the supervisor owns for the life of a mount; used by its one thread.
///
/// Single-threaded and small, so that nothing in it can go wrong that isn't a call to the kernel. It never touches the
/// mount itself.
final class Supervisor {
    /// How long after mounting the first sync begins, and how long after taking over.
    private static var firstSyncDelay: Duration { .seconds(3) }
    private static var nextSyncDelay: Duration { .seconds(60) }

    let plan: DriverPlan
    let log: Log
    let record: DriverRecord
    var device: MountedDevice

    /// As root only: the owner of the writable clone.
    var clone: OwnedDescriptor?

    /// A thread of the worker, so that its death is seen also if the rest of it can't die.
    var sentinel: ProcessHandle?

    /// A program that is to take the place of this one.
    var replacement: Replacement?

    let board: SharedRegion
    let openCounts: SharedRegion
    let backings: SharedRegion
    let advance: PipeEnds
    private let signals: SignalQueue
    private var handover: OwnedDescriptor?

    /// Mounts.
    init(mounting plan: DriverPlan, signals: consuming SignalQueue, log: Log) throws(MountError) {
        let memory: (SharedRegion, SharedRegion, SharedRegion, SharedRegion)
        do throws(SharedMemoryError) {
            memory = (
                try SharedRegion(wordCount: AnnouncementBoard.wordCount),
                try SharedRegion(wordCount: SharedCounts.wordCount),
                try SharedRegion(wordCount: BackingTable.wordCount),
                try SharedRegion(wordCount: DriverRecord.wordCount)
            )
        } catch {
            throw .cannotServe(reason: "\(error)")
        }
        guard let advance = PipeEnds() else { throw .cannotServe(reason: "no descriptor is left") }
        advance.setNonBlocking()
        let mounted = try Self.mount(plan)
        device = mounted.device
        clone = mounted.clone
        let handover = Handover(
            plan: plan, initRequest: device.initRequest, hasPassthrough: device.hasPassthrough, supervisor: getpid())
        self.handover = handover.file()
        self.plan = plan
        self.signals = signals
        self.log = log
        self.advance = advance
        (board, openCounts, backings) = (memory.0, memory.1, memory.2)
        record = DriverRecord(in: memory.3)
    }

    /// Takes over the mount of a supervisor that has died, or that this process was as another program.
    ///
    /// Everything has the number that ``DriverDescriptor`` gives it.
    ///
    /// - Throws: ``MountError/notMounted(path:)`` if it was unmounted meanwhile.
    init(takingOver handover: Handover, signals: consuming SignalQueue, log: Log) throws(MountError) {
        let memory: (SharedRegion, SharedRegion, SharedRegion, SharedRegion)
        do throws(SharedMemoryError) {
            memory = (
                try SharedRegion(descriptor: DriverDescriptor.board, wordCount: AnnouncementBoard.wordCount),
                try SharedRegion(descriptor: DriverDescriptor.openCounts, wordCount: SharedCounts.wordCount),
                try SharedRegion(descriptor: DriverDescriptor.backings, wordCount: BackingTable.wordCount),
                try SharedRegion(descriptor: DriverDescriptor.record, wordCount: DriverRecord.wordCount)
            )
        } catch {
            throw .cannotServe(reason: "\(error)")
        }
        // The pipe of a supervisor that died has gone with it.
        let isSamePipe = handover.goesOn && fcntl(DriverDescriptor.advance, F_GETFD) >= 0
        let made =
            isSamePipe
            ? PipeEnds(reading: DriverDescriptor.advance, writing: DriverDescriptor.advanceWriting) : PipeEnds()
        guard let advance = made else { throw .cannotServe(reason: "no descriptor is left") }
        advance.setNonBlocking()
        let hasClone = fcntl(DriverDescriptor.clone, F_GETFD) >= 0
        close(DriverDescriptor.handover)
        let device = try MountedDevice(
            adopting: DriverDescriptor.device, mountedOn: handover.plan.mountPoint, initRequest: handover.initRequest,
            hasPassthrough: handover.hasPassthrough)
        plan = handover.plan
        self.signals = signals
        self.log = log
        self.device = device
        clone = hasClone ? OwnedDescriptor(owning: DriverDescriptor.clone) : nil
        self.advance = advance
        (board, openCounts, backings) = (memory.0, memory.1, memory.2)
        record = DriverRecord(in: memory.3)
        let next = Handover(
            plan: plan, initRequest: handover.initRequest, hasPassthrough: handover.hasPassthrough,
            supervisor: getpid())
        self.handover = next.file()
    }

    /// A mount and, as root, its writable clone.
    struct Mounted: ~Copyable {
        var device: MountedDevice
        var clone: OwnedDescriptor?
    }

    static func mount(_ plan: DriverPlan) throws(MountError) -> Mounted {
        var options = MountOptions(name: plan.profile, subtype: "bookshelf")
        options.allowsOthers = plan.allowsOthers
        options.checksPermissions = plan.checksPermissions
        options.others = plan.options
        let isRoot = geteuid() == 0
        // Root's mount becomes read-only once there is a clone through which announcements go.
        options.isReadOnly = plan.isReadOnly && !isRoot
        options.wantsPassthrough = plan.wantsPassthrough
        let device = try MountedDevice(mountingOn: plan.mountPoint, options: options)
        guard isRoot else { return Mounted(device: device, clone: nil) }
        let clone = try device.writableClone()
        try device.makeVisibleMountReadOnly()
        return Mounted(device: device, clone: clone)
    }

    // MARK: - Life

    /// Supervises a new mount until it has ended.
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
        if !canResend {
            log.warning(
                "this kernel can't have requests answered by another process than the one that read them (6.9 can); when the worker dies, the shelf is mounted anew, and who has it open gets an error"
            )
        }
        for notice in plan.notices { log.warning("a setting was passed over", ["reason": .public(notice)]) }
        // What the user does first, having mounted, goes before.
        if plan.syncInterval > 0 {
            state.nextSync = ContinuousClock().now + Self.firstSyncDelay
            state.asksFailingSources = true
        }
        return supervise(&state)
    }

    /// Supervises a mount that was taken over until it has ended.
    ///
    /// - Returns: The exit status.
    func goOn(with handover: Handover) -> Int32 {
        var state = SupervisedProcesses()
        state.sync = handover.sync
        if plan.syncInterval > 0 { state.nextSync = ContinuousClock().now + Self.nextSyncDelay }
        if handover.goesOn, let worker = handover.children[.worker] {
            state.set(worker, for: .worker)
            // The announcer is still the former program's.
            if let announcer = handover.children[.announcer] {
                state.set(announcer, for: .announcer)
                state.end(.announcer)
            }
            log.info("the driver goes on as another program", ["version": .public(Bookshelf.version)])
        } else {
            record.note(endOf: .supervisor, "it was killed, or crashed; the worker had another take its place")
            log.warning(
                "the supervisor ended, and this process has taken its place", ["process": .public(Int(getpid()))])
            relieve(record.worker, &state)
        }
        if announces { state.restart(.announcer) }
        startAgain(&state)
        return supervise(&state)
    }

    private func supervise(_ state: inout SupervisedProcesses) -> Int32 {
        while !state.isEnding {
            var wakeUps = [signals.descriptor]
            if let descriptor = sentinel?.descriptor { wakeUps.append(descriptor) }
            if let replacement { wakeUps.append(replacement.readyDescriptor) }
            if device.waitUntilGone(atMost: state.takeTimeToNext(), orReadable: wakeUps) { break }
            while let (signal, sender) = signals.next() { handle(signal, from: sender, &state) }
            watchDyingWorker(&state)
            goOnReplacing(&state)
            startAgain(&state)
            syncIfDue(&state)
        }
        return end(&state)
    }

    var announces: Bool { clone != nil || !plan.isReadOnly }

    private func handle(_ signal: Int32, from sender: Int32, _ state: inout SupervisedProcesses) {
        switch signal {
        case SIGTERM, SIGINT: state.isEnding = true
        case SIGHUP:
            guard plan.syncInterval > 0 else { return }
            state.nextSync = ContinuousClock().now
            state.asksFailingSources = true
        case SIGUSR1: beginReplacing(byProgramOf: sender, &state)
        default: while let (process, ending) = ChildProcess.reap() { succeed(process, ending, &state) }
        }
    }

    // MARK: - Children

    /// Whether the kernel sends again what a dead worker had read.
    var canResend: Bool { device.initRequest.supportsResend && !plan.hidesResend }

    /// What every part gets, a worker or a supervisor besides.
    func descriptors(of part: DriverProcess, ready: Int32?) -> [ChildProcess.Passed] {
        var passed = [
            ChildProcess.Passed(board.descriptor, as: DriverDescriptor.board),
            ChildProcess.Passed(DriverDescriptor.lock, as: DriverDescriptor.lock),
            ChildProcess.Passed(DriverDescriptor.cacheLock, as: DriverDescriptor.cacheLock),
        ]
        if let clone = clone?.rawValue { passed.append(ChildProcess.Passed(clone, as: DriverDescriptor.clone)) }
        guard part != .announcer else {
            passed.append(ChildProcess.Passed(advance.reading, as: DriverDescriptor.advance))
            return passed
        }
        passed += [
            ChildProcess.Passed(device.descriptor, as: DriverDescriptor.device),
            ChildProcess.Passed(openCounts.descriptor, as: DriverDescriptor.openCounts),
            ChildProcess.Passed(backings.descriptor, as: DriverDescriptor.backings),
            ChildProcess.Passed(record.descriptor, as: DriverDescriptor.record),
            ChildProcess.Passed(DriverDescriptor.socket, as: DriverDescriptor.socket),
        ]
        if let handover = handover?.rawValue {
            passed.append(ChildProcess.Passed(handover, as: DriverDescriptor.handover))
        }
        if let ready { passed.append(ChildProcess.Passed(ready, as: DriverDescriptor.ready)) }
        if part == .worker { passed.append(ChildProcess.Passed(advance.writing, as: DriverDescriptor.advance)) }
        return passed
    }

    /// Starts one of the processes and, for a worker, waits until it serves.
    func start(_ part: DriverProcess, in state: inout SupervisedProcesses, isFirst: Bool) -> Bool {
        guard var ready = PipeEnds() else { return false }
        let passed = descriptors(of: part, ready: ready.writing)
        do throws(ChildProcess.Failure) {
            // Asked here: the copy's own parent may be another by the time that it asks.
            let supervisor = getpid()
            let (resent, servesAnother) = (state.resent, state.servesAnother)
            let process = try part.start(passing: passed) {
                part == .announcer
                    ? AnnouncerProcess.run(plan, supervisor: supervisor)
                    : WorkerProcess.run(
                        plan,
                        WorkerPart(
                            supervisor: supervisor, initRequest: device.initRequest,
                            hasPassthrough: device.hasPassthrough, resent: resent, servesAnother: servesAnother))
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

    // MARK: - Syncs

    /// Starts a sync of all sources as a process of its own, so that its memory goes with it.
    private func syncIfDue(_ state: inout SupervisedProcesses) {
        guard plan.syncInterval > 0, state.sync == nil, let due = state.nextSync, due <= ContinuousClock().now else {
            return
        }
        let pace = SyncPace(interval: .milliseconds(plan.syncInterval))
        state.nextSync = ContinuousClock().now + pace.delay(chance: .random(in: -1...1))
        // The sync goes by the interval that this mount has, whatever the settings say by now.
        var environment = ThisProcess.environment
        environment[Setting.syncInterval.environmentName] = "\(plan.syncInterval)ms"
        state.sync = try? ChildProcess.start(
            ThisProcess.executable,
            arguments: ["bookshelf", "--profile", plan.profile, "--quiet", "sync"]
                + (state.asksFailingSources ? [] : ["--due"]),
            environment: environment, passing: [])
        state.asksFailingSources = false
    }

    // MARK: - End

    /// Unmounts, ends the children and removes the socket.
    private func end(_ state: inout SupervisedProcesses) -> Int32 {
        let wasGone = device.isGone
        abandonReplacement(because: nil)
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
        endLingering(&state)
        state.endSync()
        unsafe unlink(plan.socket)
        log.info("unmounted", ["path": .public(plan.mountPoint)])
        return 0
    }
}
