internal import Catalog
internal import CommandLanguage
internal import ContentCache
internal import HTTP
internal import JSON
internal import Settings
internal import Shelf
internal import Terminal

/// `bookshelf status`.
enum StatusCommand {
    static func run(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        var report = try report(profile)
        report.errors = report.errors.map(context.hints.completed)
        if context.isJSON { return try context.print(report.json) }
        for line in report.lines(context.hints) { try context.print(line) }
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
            report.pinRules = try queries.pinRules().map(\.words)
            report.pendingIndexCount = try queries.pendingIndexCount()
            report.catalog.books = counts.books
            report.catalog.purchased = counts.purchased
            report.catalog.anchor = counts.anchor.rawValue
            let journal = SyncJournal(directory: profile.paths.stateDirectory)
            let sources = try queries.sources()
            report.sources = sources.map { source in profile.report(of: source, journal) }
            let contacts = NetworkContacts(sources, journal, driver)
            report.offlineSince = contacts.offlineSince
            report.isOffline = report.offlineSince != nil
            if let driver {
                fill(&report, from: driver)
                report.errors = try errors(in: driver, &queries)
            }
        } catch {
            throw .failed(error.reason)
        }
        if report.isOffline { try countReadable(&report, profile, &queries) }
        report.errors += profile.catalogErrors
        if driver == nil {
            let local = try profile.localContent(queries)
            report.cache.byteCount = local.byteCount
            report.cache.files = local.fileCount
            let available = CacheListing.freeByteCount(at: profile.cacheDirectory) + local.byteCount
            report.cache.limitByteCount = profile.settings[.cacheMaximumSize].byteCount(ofAvailable: available)
        }
        return report
    }

    /// Counts what can be read without a network.
    private static func countReadable(
        _ report: inout StatusReport, _ profile: ProfileState, _ queries: inout CatalogQueries
    ) throws(Failure) {
        let local = try profile.localContent(queries)
        do throws(CatalogError) {
            let (books, inFiles) = try queries.shelfCounts()
            report.catalog.onShelf = books
            report.catalog.readable = inFiles
            try local.forEach { (version) throws(CatalogError) in
                guard let content = try queries.content(version), !content.isSuperseded,
                    URLReference.scheme(content.url) != "file"
                else { return }
                report.catalog.readable += 1
            }
        } catch {
            throw .failed(error.reason)
        }
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
        report.incidents = (driver["incidents"]?.arrayValue ?? []).map { incident in
            StatusReport.Incident(
                part: incident["part"]?.stringValue ?? "", at: incident["at"]?.integerValue ?? 0,
                words: incident["words"]?.stringValue ?? "",
                gap: incident["gap"]?.integerValue.map { .milliseconds($0) })
        }
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
            guard let id = failure["id"]?.integerValue, let symbol = failure["errno"]?.stringValue else { continue }
            let book = BookID(rawValue: id)
            errors.append(
                StatusReport.ReadError(
                    book: book, path: try queries.book(book)?.paths.first, symbol: symbol,
                    reason: failure["reason"]?.stringValue ?? "", advice: failure["advice"]?.stringValue ?? "",
                    at: failure["at"]?.integerValue ?? 0))
        }
        return errors
    }
}

extension StatusReport {
    /// For people.
    fileprivate func lines(_ hints: CommandHints) -> [String] {
        var lines = ["Profile: \(profile) (bookshelf \(version))"]
        if mounts.isEmpty { lines.append(hints.completed("Not mounted; bookshelf mount MOUNTPOINT mounts it")) }
        for mount in mounts {
            lines.append("Mounted at \(mount.path) by process \(mount.processID), worker \(mount.workerProcessID ?? 0)")
        }
        lines += incidents.suffix(5).map(\.line)
        lines.append("Books: \(catalog.books), of which \(catalog.purchased) are purchased")
        if pendingIndexCount > 0 { lines.append("Search: \(pendingIndexCount) books are not in the index yet") }
        let limit = cache.limitByteCount.map { " of \(ByteText.short($0)) that the cache may take" } ?? ""
        let pinned = cache.pinned > 0 ? ", \(cache.pinned) pinned" : ""
        lines.append("On disk: \(cache.files) books, \(ByteText.short(cache.byteCount))\(limit)\(pinned)")
        if !pinRules.isEmpty { lines.append("Pinned also later: what comes to \(pinRules.joined(separator: ", "))") }
        if let line = offlineLine(now: Now.seconds, offset: Now.offset) { lines.append(line) }
        for source in sources {
            // Without a network that no source answers is no fault of it.
            let state = isOffline && source.state == .failing ? "waits for the network" : source.state.rawValue
            var line = "Source \(source.name) (\(source.kind)): \(state)"
            if let account = source.account { line += ", logged in as \(account)" }
            if let at = source.lastSync { line += ", last sync \(CivilTime.iso8601(at))" }
            if let error = source.lastError, !isOffline || source.state == .login {
                line += ", \(hints.completed(error))"
            }
            lines.append(line)
        }
        if transfers.requests > 0 {
            lines.append("Downloads: \(transfers.requests), \(ByteText.short(transfers.byteCount))")
            for program in transfers.byProgram {
                lines.append("  \(program.name): \(program.requests), \(ByteText.short(program.byteCount))")
            }
        }
        for error in errors.suffix(10) where !isOffline || error.symbol != "EHOSTUNREACH" {
            let subject = error.path ?? error.book.map { "book \($0.rawValue)" }
            lines.append("Error: \(subject.map { "\($0): " } ?? "")\(error.reason). \(error.advice)")
        }
        return lines
    }
}
