internal import Glibc
package import Shelf
internal import Synchronization

/// What downloads cost and what went wrong, for those who ask how it goes.
///
/// Lock order: `state` is taken alone; nothing is called while it is held.
package final class ContentJournal: Sendable {
    /// What was downloaded on behalf of a program.
    package struct Cost: Sendable, Equatable {
        package var requestCount = 0

        /// Of content, as it arrived.
        package var byteCount: Int64 = 0
    }

    /// A flight that failed.
    package struct Failure: Sendable, Equatable {
        package let version: VersionID
        package let book: BookID
        package let error: ContentError

        /// In seconds since 1970.
        package let at: Int64
    }

    /// How it goes at one moment.
    package struct Report: Sendable {
        /// Since the cache was opened.
        package var total = Cost()

        /// How many flights are in the air.
        package var activeCount = 0

        /// By name; beyond so many, the rest are under `other`, and what no program asked for is under `bookshelf`.
        package var byProgram: [String: Cost] = [:]

        /// The last one of each book that nothing came of since; the latest last.
        package var failures: [Failure] = []
    }

    private static var maximumProgramCount: Int { 64 }
    private static var maximumFailureCount: Int { 64 }

    private let report = Mutex(Report())

    /// How it goes now.
    package var current: Report { report.withLock { $0 } }

    func begin(for program: String) {
        report.withLock { report in
            report.activeCount += 1
            report.total.requestCount += 1
            report.byProgram[Self.key(for: program, in: report), default: Cost()].requestCount += 1
        }
    }

    /// Counts another request of a flight.
    func noteRequest(for program: String) {
        report.withLock { report in
            report.total.requestCount += 1
            report.byProgram[Self.key(for: program, in: report), default: Cost()].requestCount += 1
        }
    }

    func add(byteCount: Int, for program: String) {
        report.withLock { report in
            report.total.byteCount += Int64(byteCount)
            report.byProgram[Self.key(for: program, in: report), default: Cost()].byteCount += Int64(byteCount)
        }
    }

    func end(_ version: ContentVersion, _ error: ContentError?) {
        report.withLock { $0.activeCount -= 1 }
        if let error { note(error, of: version) } else { noteGood(version) }
    }

    /// Notes that a book can be read again: what went wrong with it before is of no use to anybody.
    func noteGood(_ version: ContentVersion) {
        report.withLock { report in report.failures.removeAll { $0.book == version.book } }
    }

    /// Notes what a reader got, where its flight goes on.
    func note(_ error: ContentError, of version: ContentVersion) {
        guard error != .interrupted else { return }
        report.withLock { report in
            report.failures.removeAll { $0.book == version.book }
            if report.failures.count == Self.maximumFailureCount { report.failures.removeFirst() }
            report.failures.append(
                Failure(version: version.id, book: version.book, error: error, at: Int64(time(nil))))
        }
    }

    private static func key(for program: String, in report: Report) -> String {
        report.byProgram[program] != nil || report.byProgram.count < maximumProgramCount ? program : "other"
    }
}
