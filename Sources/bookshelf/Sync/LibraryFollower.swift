internal import Catalog
internal import CommandLanguage
internal import FileWatch
internal import Glibc
internal import Log
internal import Processes
internal import Synchronization

/// Syncs the sources of this machine when something changes there: Calibre libraries and folders.
///
/// Its thread watches them and starts `bookshelf sync NAME` once it has been quiet there for a second, one at a time. Where
/// a library can't be watched whole, as one of very many folders, the sync that is due at intervals finds what was missed.
///
/// Lock order: `state` is a leaf.
final class LibraryFollower: Sendable {
    private let profile: String

    /// Open already: opening a catalog that is just being removed would make files beside it.
    private let catalog: CatalogReaders
    private let journal: SyncJournal
    private let watch: TreeWatch
    private let state = Mutex(State())
    private let log: Log

    private struct State: ~Copyable {
        var isStopping = false

        /// The sync that runs.
        var sync: ProcessHandle?
    }

    /// How often it is looked whether a library that is missing is back: nothing tells of that.
    private static var missingTime: Duration { .seconds(2) }

    /// How long nothing must happen before a sync, and how long it is waited for at most.
    private static var quiet: Duration { .seconds(1) }
    private static var patience: Duration { .seconds(10) }

    /// - Parameters:
    ///   - plan: Of the driver; where it serves is never touched, as no process may touch what it serves itself.
    ///   - catalog: Of the profile.
    ///   - log: Told what can't be watched.
    /// - Throws: ``DirectoryWatch/Failure``.
    init(_ plan: DriverPlan, catalog: CatalogReaders, log: Log) throws(DirectoryWatch.Failure) {
        profile = plan.profile
        self.catalog = catalog
        journal = SyncJournal(directory: plan.stateDirectory)
        watch = try TreeWatch(except: plan.mountPoint)
        self.log = log
    }

    /// Looks whether there are other sources than before; from any thread.
    func wake() { watch.wake() }

    /// Ends ``run()`` soon, and the sync that it has started.
    func stop() {
        state.withLock { state in
            state.isStopping = true
            state.sync?.send(SIGTERM)
        }
        watch.wake()
    }

    /// Follows until it is stopped.
    ///
    /// - Parameter isGoingOn: Whether another worker did so before, so that something may have happened in between.
    func run(isGoingOn: Bool) {
        var followed = localSources()
        watchAll(followed)
        if isGoingOn { sync(followed) }
        while !isStopped {
            let sources = localSources()
            if sources != followed {
                let added = sources.filter { !followed.contains($0) }
                followed = sources
                watchAll(followed)
                // Something may have happened since its first sync; the first one is the person's to ask for.
                sync(added.filter { journal.report(of: $0).state != .never })
            }
            let missing = missing(of: followed)
            // Far from any change nothing happens here at all.
            switch watch.wait(atMost: missing.isEmpty ? .seconds(86_400) : Self.missingTime) {
            case .changed: waitUntilQuiet()
            case .timedOut: if missing == self.missing(of: followed) { continue }
            case .woken: continue
            }
            // First, so that nothing that happens during the sync is missed: there may be other folders by now.
            watchAll(followed)
            sync(followed)
        }
    }

    private var isStopped: Bool { state.withLock { $0.isStopping } }

    private func localSources() -> [Source] {
        guard let all = try? catalog.sources() else { return [] }
        return all.filter { SourceKind(rawValue: $0.kind)?.isLocal == true }.map { source in
            // What a sync writes down changes nothing about where the source is.
            var source = source
            source.validators = Validators()
            return source
        }
    }

    /// Those whose place isn't there: moved away, or on a disk that is.
    private func missing(of sources: [Source]) -> [Source] {
        sources.filter { source in
            unsafe access(SourceKind.path(source.location) ?? source.location, F_OK) != 0
        }
    }

    private func watchAll(_ sources: [Source]) {
        let places = sources.map { source in
            TreeWatch.Place(
                SourceKind.path(source.location) ?? source.location,
                isTree: SourceKind(rawValue: source.kind) == .folder)
        }
        if !watch.watch(places) {
            log.warning(
                "not all of the libraries on this machine can be watched; they are looked at with each sync", [:],
                limitedBy: "libraries")
        }
    }

    private func waitUntilQuiet() {
        let deadline = ContinuousClock().now + Self.patience
        while !isStopped, ContinuousClock().now < deadline, watch.wait(atMost: Self.quiet) == .changed {}
    }

    // MARK: - Sync

    /// Syncs some sources in a process of its own, so that its memory goes with it, and waits for its end.
    private func sync(_ sources: [Source]) {
        guard !sources.isEmpty, !isStopped else { return }
        // A worker is a copy of the supervisor and has what it was given under numbers that stay open: the mount among them.
        for descriptor in DriverDescriptor.all { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        guard
            let process = try? ChildProcess.start(
                ThisProcess.executable,
                arguments: ["bookshelf", "--profile", profile, "--quiet", "sync"] + sources.map(\.name),
                environment: ThisProcess.environment, passing: [])
        else { return }
        state.withLock { state in
            state.sync = ProcessHandle(process)
            if state.isStopping { kill(process, SIGTERM) }
        }
        ChildProcess.waitForEnd(of: process)
        state.withLock { $0.sync = nil }
    }
}
