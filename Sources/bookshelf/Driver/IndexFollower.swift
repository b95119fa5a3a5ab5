internal import Catalog
internal import Glibc
internal import Log
internal import Processes
internal import Synchronization
internal import Threads

/// Has the search index follow the catalog while the shelf is mounted.
///
/// Its thread looks whether the index is behind when the catalog has changed, starts an ``IndexProcess``, one at a time, and waits for
/// its end.
///
/// Lock order: `state` and `process` are leaves.
final class IndexFollower: Sendable {
    private let catalogPath: String

    /// Open already: opening a catalog that is just being removed would make files beside it.
    private let catalog: CatalogReaders
    private let state = Monitor(State())

    /// The process that runs.
    private let process = Mutex<ProcessHandle?>(nil)
    private let log: Log

    private struct State {
        var isStopping = false
        var isWoken = true
    }

    /// How long an index that couldn't be brought up to date is left alone.
    private static var patience: Duration { .seconds(60) }

    init(catalogPath: String, catalog: CatalogReaders, log: Log) {
        self.catalogPath = catalogPath
        self.catalog = catalog
        self.log = log
    }

    /// Looks whether there is something to do; from any thread.
    func wake() { state.update { $0.isWoken = true } }

    /// Ends ``run()`` soon, and the process that it has started.
    func stop() {
        state.update { $0.isStopping = true }
        process.withLock { $0?.send(SIGTERM) }
    }

    /// Follows until it is stopped.
    func run() {
        var isLeftAlone = false
        while waitUntilWoken(isLeftAlone ? Self.patience : .zero) {
            isLeftAlone = false
            guard catalog.isIndexBehind() else { continue }
            index()
            isLeftAlone = !isStopping && catalog.isIndexBehind()
            if isLeftAlone {
                log.warning(
                    "the search index could not be brought up to date; bookshelf search says why", [:],
                    limitedBy: "index")
            }
        }
    }

    private var isStopping: Bool { state.update { $0.isStopping } }

    /// - Parameter delay: How long to wait at least.
    /// - Returns: `false` if it is to stop.
    private func waitUntilWoken(_ delay: Duration) -> Bool {
        if delay > .zero { _ = state.wait(atMost: delay) { $0.isStopping ? true : nil } }
        return state.wait(atMost: nil) { state in
            if state.isStopping { return false }
            guard state.isWoken else { return nil }
            state.isWoken = false
            return true
        } ?? false
    }

    private func index() {
        // A worker is a copy of the supervisor and has what it was given under numbers that stay open: the mount among them.
        for descriptor in DriverDescriptor.all { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        guard
            let started = try? ChildProcess.start(
                ThisProcess.executable, arguments: IndexProcess.words(catalog: catalogPath),
                environment: ThisProcess.environment, passing: [])
        else { return }
        process.withLock { $0 = ProcessHandle(started) }
        // It may have been stopped before there was a process to tell.
        if isStopping { kill(started, SIGTERM) }
        ChildProcess.waitForEnd(of: started)
        process.withLock { $0 = nil }
    }
}
