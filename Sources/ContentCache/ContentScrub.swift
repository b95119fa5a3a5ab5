internal import Glibc
package import Shelf
internal import Synchronization
internal import Threads

/// Reads what is on disk again now and then, so that what a disk loses is found before somebody reads it.
///
/// On a thread that runs only while the processor and the disk have nothing else to do, at a bounded rate, and not while
/// something is being fetched.
///
/// Lock order: `state` is taken alone; nothing is called while it is held.
package final class ContentScrub: Sendable {
    /// How thoroughly.
    package struct Pace: Sendable {
        /// How long a content is believed.
        package var interval: Duration = .seconds(7 * 86_400)

        /// After how long the cache is looked at first.
        package var firstLook: Duration = .seconds(600)

        /// How long after a look the next one begins.
        package var lookInterval: Duration = .seconds(3_600)

        /// How much is read in a second, in bytes.
        package var byteRate: Int64 = 8 << 20

        /// How often it looks whether the last flight has landed.
        package var patience: Duration = .seconds(1)

        /// Called each time it finds something in flight and doesn't go on; on its thread.
        package var didGiveWay: @Sendable () -> Void = {}

        package init() {}
    }

    /// SCHED_IDLE of sched(7), which Swift's Glibc module lacks.
    private static var idlePolicy: CInt { 5 }

    private struct State {
        var isStopping = false
        var isOver = false
    }

    private let state = Monitor(State())

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - cache: What is read.
    ///   - pace: How thoroughly.
    ///   - lookUp: What the catalog says of a content; what it doesn't know isn't read.
    package init(_ cache: ContentCache, pace: Pace = Pace(), lookUp: @escaping @Sendable (VersionID) -> ContentVersion?)
    {
        _ = WorkerThread(name: "cache-scrub") { [state] in
            // The class of input and output follows from it: ioprio_set(2).
            var parameters = sched_param()
            unsafe sched_setscheduler(0, Self.idlePolicy, &parameters)
            Run(cache: cache, pace: pace, lookUp: lookUp, state: state).untilStopped()
            state.update { $0.isOver = true }
        }
    }

    deinit {
        state.update { $0.isStopping = true }
    }

    /// Ends the thread, in the middle of a content.
    ///
    /// - Returns: Whether it has ended.
    @discardableResult
    package func stop(atMost limit: Duration = .seconds(5)) -> Bool {
        state.update { $0.isStopping = true }
        return state.wait(atMost: limit) { $0.isOver ? true : nil } ?? false
    }

    /// What the thread does.
    private struct Run {
        let cache: ContentCache
        let pace: Pace
        let lookUp: @Sendable (VersionID) -> ContentVersion?
        let state: Monitor<State>

        func untilStopped() {
            var pause = pace.firstLook
            while goesOn(after: pause) {
                for id in due() {
                    guard waitUntilQuiet() else { return }
                    guard let version = lookUp(id) else { continue }
                    let (finding, stamp) = cache.examine(id, as: version) { byteCount in
                        goesOn(after: .seconds(1) * Double(byteCount) / Double(pace.byteRate)) && waitUntilQuiet()
                    }
                    guard case .damaged(let reason) = finding else { continue }
                    // Not here: others wait for the locks that it takes, and this thread may not run for long.
                    cache.commits.run { [cache] in cache.condemn(id, stamp, version, reason: reason) }
                }
                pause = pace.lookInterval
            }
        }

        /// What wasn't verified for so long, longest first.
        private func due() -> [VersionID] {
            let now = Int64(time(nil))
            let limit = now - pace.interval.components.seconds
            let known = cache.storedVersions().compactMap { id in
                cache.directory.verifiedAt(id).map { (id: id, at: $0 / 1_000_000_000) }
            }
            // A date of the future is that of a clock that went wrong.
            let due = known.filter { $0.at <= limit || $0.at > now + 86_400 }
            return due.sorted { $0.at < $1.at }.map(\.id)
        }

        private func waitUntilQuiet() -> Bool {
            while cache.journal.current.activeCount > 0 {
                pace.didGiveWay()
                guard goesOn(after: pace.patience) else { return false }
            }
            return goesOn(after: .zero)
        }

        private func goesOn(after pause: Duration) -> Bool {
            state.wait(atMost: pause) { $0.isStopping ? true : nil } == nil
        }
    }
}
