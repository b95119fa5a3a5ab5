internal import Catalog
internal import ContentCache
internal import Control
internal import JSON
internal import Shelf
internal import Threads

/// Fetching and evicting by number, as the driver does it for a command, or the command for itself.
struct ContentWork {
    /// How many books are fetched at a time; the sources' own bounds hold as well.
    private static var concurrentCount: Int { 6 }

    let cache: ContentCache

    /// Of the catalog.
    let path: String

    /// What became of a number of books.
    struct Outcome {
        var doneCount = 0
        var skippedCount = 0
        var failed: [(book: BookID, reason: String)] = []

        var json: JSONValue {
            [
                "done": JSONValue(doneCount), "skipped": JSONValue(skippedCount),
                "failed": .array(failed.map { ["id": .integer($0.book.rawValue), "reason": .string($0.reason)] }),
            ]
        }

        init() {}

        init(_ json: JSONValue) {
            doneCount = json["done"]?.integerValue.flatMap { Int(exactly: $0) } ?? 0
            skippedCount = json["skipped"]?.integerValue.flatMap { Int(exactly: $0) } ?? 0
            failed = (json["failed"]?.arrayValue ?? []).compactMap { failure in
                guard let id = failure["id"]?.integerValue, let reason = failure["reason"]?.stringValue else {
                    return nil
                }
                return (BookID(rawValue: id), reason)
            }
        }
    }

    private struct Running {
        var count = 0
        var outcome = Outcome()
    }

    // MARK: - Fetch

    /// Makes the content of books local, several at a time.
    ///
    /// - Returns: The outcome as JSON; books that were local already count as skipped.
    func fetch(
        _ books: [BookID], progress: (ControlProgress) -> Void, isAbandoned: () -> Bool
    ) -> JSONValue {
        let running = Monitor(Running())
        var report = ControlProgress()
        report.totalCount = books.count
        for book in books where !isAbandoned() {
            while running.wait(atMost: .seconds(1), for: { $0.count < Self.concurrentCount ? true : nil }) == nil {
                // The command takes a driver that says nothing for a dead one.
                progress(report)
            }
            start(book, running) { report.subject = $0 }
            report.doneCount = finishedCount(running)
            progress(report)
        }
        while finishedCount(running) < books.count, !isAbandoned() {
            let before = finishedCount(running)
            let now: Int? = running.wait(atMost: .seconds(1)) { state in
                let count = state.outcome.doneCount + state.outcome.skippedCount + state.outcome.failed.count
                return count != before ? count : nil
            }
            report.doneCount = now ?? before
            progress(report)
        }
        return running.update { $0.outcome.json }
    }

    private func finishedCount(_ running: Monitor<Running>) -> Int {
        running.update { $0.outcome.doneCount + $0.outcome.skippedCount + $0.outcome.failed.count }
    }

    private func start(_ book: BookID, _ running: Monitor<Running>, _ name: (String) -> Void) {
        do throws(CatalogError) {
            var queries = try CatalogQueries(path: path)
            guard let found = try queries.book(book) else {
                return fail(book, "there is no such book any more", running)
            }
            name(found.title)
            guard let id = found.version, let version = try queries.content(id) else {
                return fail(book, "“\(found.title)”: the source lists no content for it", running)
            }
            if cache.isSecured(id), cache.openOnDisk(version) != nil {
                return running.update { $0.outcome.skippedCount += 1 }
            }
            running.update { $0.count += 1 }
            cache.fetch(version) { result in
                running.update { state in
                    state.count -= 1
                    switch result {
                    case .success: state.outcome.doneCount += 1
                    case .failure(let error):
                        state.outcome.failed.append((book, "“\(version.title)”: \(error.reason). \(error.advice)"))
                    }
                }
            }
        } catch {
            fail(book, error.reason, running)
        }
    }

    private func fail(_ book: BookID, _ reason: String, _ running: Monitor<Running>) {
        running.update { $0.outcome.failed.append((book, reason)) }
    }

    // MARK: - Evict

    /// Removes the content of books from disk.
    ///
    /// - Parameter books: By number.
    /// - Returns: The outcome as JSON; books without content on disk count as skipped.
    func evict(_ books: [BookID]) -> JSONValue {
        var outcome = Outcome()
        do throws(CatalogError) {
            var queries = try CatalogQueries(path: path)
            for book in books {
                guard let found = try queries.book(book), let version = found.version else {
                    outcome.skippedCount += 1
                    continue
                }
                if cache.state(of: version) == .placeholder {
                    outcome.skippedCount += 1
                } else if found.isPinned {
                    outcome.failed.append((book, "“\(found.title)” is pinned; unpin it first"))
                } else if cache.evict(version) {
                    outcome.doneCount += 1
                } else {
                    outcome.failed.append((book, "“\(found.title)” is open in a program; close it and try again"))
                }
            }
        } catch {
            outcome.failed.append((BookID(rawValue: 0), error.reason))
        }
        return outcome.json
    }

    // MARK: - Journal

    /// What downloads cost and what went wrong, as it crosses to the command.
    static func json(_ report: ContentJournal.Report) -> JSONValue {
        [
            "requests": JSONValue(report.total.requestCount), "bytes": JSONValue(report.total.byteCount),
            "active": JSONValue(report.activeCount),
            "byProgram": .array(
                report.byProgram.sorted { $0.key < $1.key }.map {
                    [
                        "program": .string($0.key), "requests": JSONValue($0.value.requestCount),
                        "bytes": JSONValue($0.value.byteCount),
                    ]
                }),
            "errors": .array(
                report.failures.map {
                    [
                        "id": .integer($0.book.rawValue), "errno": .string($0.error.symbol),
                        "reason": .string($0.error.reason), "advice": .string($0.error.advice), "at": .integer($0.at),
                    ]
                }),
        ]
    }
}
