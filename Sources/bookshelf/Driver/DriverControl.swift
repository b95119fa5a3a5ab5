internal import BookFileSystem
internal import Catalog
internal import ContentCache
internal import Control
internal import FUSE
internal import Glibc
internal import JSON
internal import Shelf
internal import Terminal
internal import Threads

/// Answers what commands ask of a running driver.
struct DriverControl: ControlHandler {
    let plan: DriverPlan

    /// Who supervises this process.
    let supervisor: Int32
    let catalog: CatalogReaders
    let cache: ContentCache
    let place: CatalogPlace
    let record: DriverRecord
    let reachability: SourceReachability

    func answer(
        _ request: ControlRequest, progress: (ControlProgress) -> Void, isAbandoned: () -> Bool
    ) throws(ControlRefusal) -> JSONValue {
        switch request {
        case .status: return status
        case .fetch(let books):
            return ContentWork(cache: cache, path: plan.catalog).fetch(
                books, progress: progress, isAbandoned: isAbandoned)
        case .evict(let books):
            return ContentWork(cache: cache, path: plan.catalog).evict(books)
        case .verify(let books, let isRepairing):
            return VerificationWork(work: ContentWork(cache: cache, path: plan.catalog)).run(
                books, isRepairing: isRepairing, progress: progress, isAbandoned: isAbandoned)
        case .sync, .reload, .stop:
            throw ControlRefusal(reason: "this driver leaves that to the command")
        }
    }

    private var status: JSONValue {
        let usage = cache.usage()
        return [
            "supervisorPid": JSONValue(supervisor), "workerPid": JSONValue(Int(getpid())),
            "mountPoint": .string(plan.mountPoint), "since": JSONValue(plan.startedAt),
            "cacheBytes": JSONValue(usage.byteCount), "cacheFiles": JSONValue(usage.fileCount),
            "cacheLimit": JSONValue(cache.limitByteCount),
            "catalogMissingSince": JSONValue(place.missingSince),
            "contacts": reachability.json,
            "journal": ContentWork.json(journal),
            "replacements": JSONValue(record.replacementCount),
            "replacementFailure": JSONValue(record.replacementFailure),
            "incidents": .array(record.incidents.map(\.json)),
        ]
    }

    /// How downloads go; what failed of a content that is on disk by now is over.
    private var journal: ContentJournal.Report {
        var journal = cache.journal.current
        journal.failures.removeAll { cache.state(of: $0.version) == .local }
        return journal
    }
}

extension DriverRecord.Incident {
    fileprivate var json: JSONValue {
        [
            "part": .string(part.rawValue), "at": JSONValue(at), "words": .string(words),
            "gap": JSONValue(gap?.wholeMilliseconds),
        ]
    }
}
