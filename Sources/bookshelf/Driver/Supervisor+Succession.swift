internal import BookFileSystem
internal import Catalog
internal import FUSE
internal import Glibc
internal import Log
internal import Processes
internal import SharedMemory

/// Who comes after a process that has ended.
extension Supervisor {
    /// How often workers may die before they were ready, one after the other.
    private static var maximumFailedStarts: Int { 5 }

    /// How often, and how far apart, a process that can't be started is tried again.
    private static var maximumStartAttempts: Int { 50 }
    private static var startInterval: Duration { .milliseconds(100) }

    /// How long a worker that was killed may take to end, and how often it is looked at.
    private static var dyingLimit: Duration { .seconds(10) }
    private static var dyingInterval: Duration { .milliseconds(20) }

    /// Has another take the place of a child that has ended.
    func succeed(_ process: Int32, _ ending: ChildProcess.Ending, _ state: inout SupervisedProcesses) {
        if state.lingering.remove(process) != nil {
            // What a thread of its was just reading when it was killed comes again only now.
            if canResend { try? device.resend() }
            log.info("a worker that could not end has ended", ["process": .public(Int(process))])
            return
        }
        guard let part = state.remove(process) else {
            if process == state.sync { state.sync = nil }
            if process == replacement?.process {
                abandonReplacement(because: "it ended (\(ending.words))", isGone: true)
            }
            return
        }
        if device.hasHungUp { return }
        guard part == .worker else {
            note(part, ending.words)
            state.restart(part, after: delay(beforeRestarting: part, ending, state))
            return
        }
        if process == replacement?.process { abandonReplacement(because: "it ended (\(ending.words))", isGone: true) }
        succeedWorker(ending, &state)
    }

    /// Has another worker go on where one stopped, of which no thread reads any more.
    private func succeedWorker(_ ending: ChildProcess.Ending, _ state: inout SupervisedProcesses) {
        sentinel = nil
        let isReplaced = replacement?.isAwaited ?? false
        if !isReplaced { note(.worker, words(of: ending)) }
        state.noteWorkerEnded(ending, workingOn: record.requestsInProgress)
        if state.servesAnother { prepareForAnotherCatalog(&state) }
        guard state.failuresInARow <= Self.maximumFailedStarts else {
            log.error("the worker ends again and again; the mount is given up")
            state.isEnding = true
            return
        }
        guard canResend else { return mountAnew(&state) }
        // Only now that it is gone can none of its threads be reading; what it had read comes again.
        try? device.resend()
        if let replacement, isReplaced, !state.servesAnother, state.resent == .answered {
            state.set(replacement.process, for: .worker)
            replacement.begin()
            return
        }
        abandonReplacement(because: isReplaced ? "the worker crashed meanwhile" : nil)
        state.restart(.worker, after: delay(beforeRestarting: .worker, ending, state))
    }

    private func note(_ part: DriverProcess, _ words: String) {
        record.note(endOf: part, words)
        log.warning(
            "a process of the driver ended and is started again",
            ["part": .public(part.rawValue), "ending": .public(words)])
    }

    /// How a worker ended; of a crash also where.
    private func words(of ending: ChildProcess.Ending) -> String {
        guard let crash = record.crash else { return ending.words }
        var words = ChildProcess.Ending.signalled(crash.signal).words
        if let address = crash.address { words += " at 0x\(String(address, radix: 16))" }
        if let sender = crash.sender { words += " sent by process \(sender)" }
        let places = crash.frames.map { CrashRecord.place(of: $0, image: record.image) }
        return places.isEmpty ? words : words + ": " + places.joined(separator: " ")
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
    func startAgain(_ state: inout SupervisedProcesses) {
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

    // MARK: - Those who can't die

    /// Looks after a worker of which one thread has ended, while others of it may be held in the kernel.
    ///
    /// A thread that tells the kernel of a change may wait there for a request that nobody will answer any more, once the
    /// worker is killed, and no signal reaches it. The next worker answers that request. It may begin as soon as none of
    /// the other threads is there, which could read one away from it.
    func watchDyingWorker(_ state: inout SupervisedProcesses) {
        guard let worker = state.process(of: .worker) else { return }
        if let descriptor = sentinel?.descriptor {
            guard ThisProcess.wait(for: [descriptor], atMost: .zero)[0] else { return }
            sentinel = nil
            state.dyingSince = ContinuousClock().now
        } else if state.dyingSince == nil, record.worker == worker, record.sentinel != 0 {
            sentinel = ProcessHandle(thread: record.sentinel)
            if sentinel != nil { return }
        } else if state.dyingSince == nil, state.isWorkerYoung {
            // It says soon which thread that is.
            state.lookAgain(after: .milliseconds(200))
        }
        switch DyingProcess.stage(of: worker) {
        case .alive:
            if state.dyingSince != nil { state.lookAgain(after: Self.dyingInterval) }
        case .gone:
            break
        case .ending:
            state.stuckLookCount = 0
            state.dyingSince = state.dyingSince ?? ContinuousClock().now
            state.lookAgain(after: Self.dyingInterval)
            if let since = state.dyingSince, since + Self.dyingLimit < ContinuousClock().now {
                setAside(worker, &state)
                mountAnew(&state)
            }
        case .stuck:
            state.dyingSince = state.dyingSince ?? ContinuousClock().now
            state.stuckLookCount += 1
            state.lookAgain(after: Self.dyingInterval)
            // Twice, so that one that waits for a disk on its way out isn't taken for it.
            guard state.stuckLookCount >= 2 else { return }
            setAside(worker, &state)
            succeedWorker(record.crash.map { .signalled($0.signal) } ?? .signalled(SIGKILL), &state)
        }
    }

    private func setAside(_ worker: Int32, _ state: inout SupervisedProcesses) {
        _ = state.remove(worker)
        state.lingering.insert(worker)
        log.warning(
            "a worker that was killed can't end, since it waits in the kernel; the next one goes on without it",
            ["process": .public(Int(worker))])
    }

    /// Ends the worker of a supervisor that has died, which is nobody's child here, and has another go on.
    func relieve(_ worker: Int32, _ state: inout SupervisedProcesses) {
        let lock = ProfileLock.Purpose.driver.path(in: plan.dataDirectory)
        // Asked behind the handle, so that it holds whom it asks about.
        if worker > 0, let process = ProcessHandle(worker), DriverMembers.isMember(worker, holding: lock) {
            process.send(SIGKILL)
            let deadline = ContinuousClock().now + Self.dyingLimit
            var stuckLookCount = 0
            while !process.waitForEnd(atMost: Self.dyingInterval) {
                stuckLookCount = DyingProcess.stage(of: worker) == .stuck ? stuckLookCount + 1 : 0
                if stuckLookCount >= 2 { break }
                if ContinuousClock().now > deadline { return mountAnew(&state) }
            }
        }
        guard canResend else { return mountAnew(&state) }
        try? device.resend()
        state.restart(.worker)
    }

    /// Ends workers that were killed and couldn't end: they wait for answers that nobody will give any more.
    func endLingering(_ state: inout SupervisedProcesses) {
        guard !state.haveLingeringEnded() else { return }
        UnservedDevice(device.descriptor)?.refuseRequests(atMost: .seconds(5)) { state.haveLingeringEnded() }
        if !state.haveLingeringEnded() { try? device.abort() }
    }

    /// Ends the mount for those who use it and makes another in its place: where requests that a worker had read can't be had again.
    func mountAnew(_ state: inout SupervisedProcesses) {
        abandonReplacement(because: "the shelf had to be mounted anew")
        state.end(.announcer)
        try? device.unmount(lazily: true)
        // With its last descriptor the connection ends, and so does everybody's wait.
        endLingering(&state)
        for region in [board, openCounts, backings] { region.clear() }
        do throws(MountError) {
            clone = nil
            device.leaveMount()
            let mounted = try Self.mount(plan)
            device = mounted.device
            clone = mounted.clone
        } catch {
            log.error("the shelf could not be mounted anew", ["reason": .public(error.description)])
            state.isEnding = true
            return
        }
        record.note(
            endOf: .worker,
            "no other could take over what it had read, so the shelf was mounted anew; who had it open got an error")
        log.warning("the shelf was mounted anew, since no other worker could take over what was read")
        state.restart(.worker)
        if announces { state.restart(.announcer) }
    }
}
