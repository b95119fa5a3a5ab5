internal import Catalog
internal import CommandLanguage
internal import ContentCache
internal import JSON
internal import Settings
internal import Shelf
internal import Terminal

/// `bookshelf status`.
enum StatusCommand {
    static func run(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        let report = try report(profile)
        if context.isJSON { return try context.print(report.json) }
        for line in report.lines { try context.print(line) }
    }

    private static func report(_ profile: ProfileState) throws(Failure) -> StatusReport {
        let log: String
        do throws(SettingsError) { log = try profile.paths.log(by: profile.settings) } catch { throw Failure(error) }
        var report = StatusReport(
            profile: profile.paths.profile.text, version: Bookshelf.version,
            paths: StatusReport.Paths(
                catalog: profile.paths.catalog, cache: profile.cacheDirectory, log: log,
                configuration: profile.paths.userFile ?? profile.paths.systemFile, socket: profile.paths.socket))
        let driver = try profile.driverStatus()
        if let driver, !profile.hasCatalog {
            fill(&report, from: driver)
            report.errors.append(
                StatusReport.ReadError(
                    reason: ProfileState.missingCatalog(profile.paths.catalog),
                    advice: ProfileState.missingCatalogAdvice,
                    at: driver["catalogMissingSince"]?.integerValue ?? Now.seconds))
            return report
        }
        var queries = try profile.queries()
        do throws(CatalogError) {
            let counts = try queries.counts()
            report.cache.pinned = try queries.pinnedCount()
            report.catalog.books = counts.books
            report.catalog.purchased = counts.purchased
            report.catalog.anchor = counts.anchor.rawValue
            let journal = SyncJournal(directory: profile.paths.stateDirectory)
            report.sources = try queries.sources().map { source in journal.report(of: source) }
            if let driver {
                fill(&report, from: driver)
                report.errors = try errors(in: driver, &queries)
            }
        } catch {
            throw .failed(error.reason)
        }
        if driver == nil {
            let local = LocalContent(cacheAt: profile.cacheDirectory)
            report.cache.byteCount = local.byteCount
            report.cache.files = local.fileCount
            let available = CacheListing.freeByteCount(at: profile.cacheDirectory) + local.byteCount
            report.cache.limitByteCount = profile.settings[.cacheMaximumSize].byteCount(ofAvailable: available)
        }
        return report
    }

    private static func fill(_ report: inout StatusReport, from driver: JSONValue) {
        func number(_ json: JSONValue?, _ key: String) -> Int {
            json?[key]?.integerValue.flatMap { Int(exactly: $0) } ?? 0
        }
        report.cache.byteCount = driver["cacheBytes"]?.integerValue ?? 0
        report.cache.files = number(driver, "cacheFiles")
        report.cache.limitByteCount = driver["cacheLimit"]?.integerValue
        var mount = StatusReport.Mount(
            path: driver["mountPoint"]?.stringValue ?? "", processID: Int32(clamping: number(driver, "supervisorPid")),
            isReadOnly: true)
        mount.workerProcessID = Int32(clamping: number(driver, "workerPid"))
        mount.since = driver["since"]?.integerValue
        report.mounts = [mount]
        let journal = driver["journal"]
        report.transfers.requests = number(journal, "requests")
        report.transfers.byteCount = journal?["bytes"]?.integerValue ?? 0
        report.transfers.active = number(journal, "active")
        report.transfers.byProgram = (journal?["byProgram"]?.arrayValue ?? []).map { program in
            StatusReport.Transfers.Program(
                name: program["program"]?.stringValue ?? "", requests: number(program, "requests"),
                byteCount: program["bytes"]?.integerValue ?? 0)
        }
    }

    private static func errors(
        in driver: JSONValue, _ queries: inout CatalogQueries
    ) throws(CatalogError) -> [StatusReport.ReadError] {
        var errors: [StatusReport.ReadError] = []
        for failure in driver["journal"]?["errors"]?.arrayValue ?? [] {
            guard let id = failure["id"]?.integerValue,
                let error = ContentError(
                    symbol: failure["errno"]?.stringValue ?? "", reason: failure["reason"]?.stringValue ?? "")
            else { continue }
            let book = BookID(rawValue: id)
            errors.append(
                StatusReport.ReadError(
                    book: book, path: try queries.book(book)?.paths.first, error: error,
                    at: failure["at"]?.integerValue ?? 0))
        }
        return errors
    }
}

extension ContentError {
    /// Takes back what crossed from the driver.
    fileprivate init?(symbol: String, reason: String) {
        switch symbol {
        case "EINTR": self = .interrupted
        case "ENOENT": self = .removed
        case "EHOSTUNREACH": self = .unreachable(reason: reason)
        case "ETIMEDOUT": self = .timedOut(reason: reason)
        case "EACCES": self = .denied(reason: reason)
        case "ENODATA": self = .missing(reason: reason)
        case "EIO": self = .broken(reason: reason)
        case "ESTALE": self = .superseded
        case "ENOSPC": self = .noRoom(reason: reason)
        default: return nil
        }
    }
}

extension StatusReport {
    /// For people.
    fileprivate var lines: [String] {
        var lines = ["Profile: \(profile) (bookshelf \(version))"]
        if mounts.isEmpty { lines.append("Not mounted; bookshelf mount MOUNTPOINT mounts it") }
        for mount in mounts {
            lines.append("Mounted at \(mount.path) by process \(mount.processID), worker \(mount.workerProcessID ?? 0)")
        }
        lines.append("Books: \(catalog.books), of which \(catalog.purchased) are purchased")
        let limit = cache.limitByteCount.map { " of \(ByteText.short($0)) that the cache may take" } ?? ""
        let pinned = cache.pinned > 0 ? ", \(cache.pinned) pinned" : ""
        lines.append("On disk: \(cache.files) books, \(ByteText.short(cache.byteCount))\(limit)\(pinned)")
        for source in sources {
            var line = "Source \(source.name) (\(source.kind)): \(source.state.rawValue)"
            if let at = source.lastSync { line += ", last sync \(CivilTime.iso8601(at))" }
            if let error = source.lastError { line += ", \(error)" }
            lines.append(line)
        }
        if transfers.requests > 0 {
            lines.append("Downloads: \(transfers.requests), \(ByteText.short(transfers.byteCount))")
            for program in transfers.byProgram {
                lines.append("  \(program.name): \(program.requests), \(ByteText.short(program.byteCount))")
            }
        }
        for error in errors.suffix(10) {
            let subject = error.path ?? error.book.map { "book \($0.rawValue)" }
            lines.append("Error: \(subject.map { "\($0): " } ?? "")\(error.reason). \(error.advice)")
        }
        return lines
    }
}
