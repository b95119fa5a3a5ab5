internal import Accounts
internal import Arguments
internal import Catalog
internal import CommandLanguage
internal import ContentSources
internal import HTTP
internal import Settings
internal import Shelf

/// `bookshelf import FILE|-` and `bookshelf sync [NAME...]`.
enum SyncCommands {
    /// The name of the source that documents are imported as.
    static var importSource: String { "import" }

    /// How long a command waits for another sync to end.
    private static var patience: Duration { .seconds(60) }

    // MARK: - Import

    static func importCatalog(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        let file = context.invocation.word(for: .catalogFile) ?? "-"
        let writer = try profile.writer()
        try profile.arrange(writer)
        let lock = try ProfileLock(.sync, in: profile.paths.dataDirectory, waitingAtMost: patience)
        defer { lock.holdUntilHere() }
        let name = importSource
        let result: Result<SyncSummary, SourceError>
        do throws(SourceError) {
            let document = file == "-" ? CatalogDocument(borrowing: 0) : try CatalogDocument(path: file)
            let origin = file == "-" ? CatalogOrigin.unknown : try CatalogOrigin.beside(file)
            let source = try importedSource(file == "-" ? file : SourceCommands.absolute(file), writer)
            let sync = profile.sourceSync(TransferLoop(CurlLibrary(), objectStorage: profile.objectStorage))
            result = .success(
                try sync.importing(
                    document, origin: origin, encoding: context.invocation.value(of: .encoding), as: source,
                    writer: writer))
        } catch {
            result = .failure(error)
        }
        SyncJournal(directory: profile.paths.stateDirectory).note(
            name, error: result.failure, at: Now.nanoseconds)
        try report([SyncReport(source: name, result: result)], context, subject: file)
    }

    private static func importedSource(
        _ file: String, _ writer: borrowing CatalogWriter
    ) throws(SourceError) -> Source {
        do throws(CatalogError) {
            guard let source = try writer.sources().first(where: { $0.name == importSource }) else {
                return try writer.addSource(name: importSource, kind: "store", location: file)
            }
            try writer.setLocation(file, of: source)
            return source
        } catch {
            throw .storage(reason: error.reason)
        }
    }

    // MARK: - Sync

    static func sync(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        try profile.refuseMissingCatalog()
        let writer = try profile.writer()
        try profile.arrange(writer)
        let lock = try ProfileLock(.sync, in: profile.paths.dataDirectory, waitingAtMost: patience)
        defer { lock.holdUntilHere() }
        let journal = SyncJournal(directory: profile.paths.stateDirectory)
        var sources = try selectedSources(context, writer)
        if context.invocation.has(.due) {
            let pace = SyncPace(interval: profile.settings[.syncInterval])
            sources.removeAll { !journal.isDue($0, by: pace, at: Now.nanoseconds) }
        }
        let loop = TransferLoop(
            CurlLibrary(), maximumTransferCount: profile.settings[.fetchConnections],
            objectStorage: profile.objectStorage)
        defer { loop.shutDown() }
        let sync = profile.sourceSync(loop)
        if context.invocation.has(.permissions) { loadPermissions(of: sources, sync.accounts, context) }
        var reports: [SyncReport] = []
        for source in sources {
            let result: Result<SyncSummary, SourceError>
            do throws(SourceError) {
                result = .success(try sync.run(source, writer: writer))
            } catch {
                result = .failure(error)
            }
            journal.note(source.name, error: result.failure, at: Now.nanoseconds)
            sync.noteLogin(of: source, result)
            reports.append(SyncReport(source: source.name, result: result))
        }
        do throws(CatalogError) {
            _ = try SizeResolution(loop: loop, accounts: sync.accounts).run(writer: writer)
        } catch {
            throw .failed(error.reason)
        }
        try report(reports, context, subject: nil)
    }

    /// Asks stores what may be done; one that doesn't say is none that failed.
    private static func loadPermissions(
        of sources: [Source], _ accounts: AccountSessions, _ context: CommandContext
    ) {
        for source in sources {
            do throws(AccountError) {
                guard let permissions = try accounts.loadPermissions(of: source.name) else { continue }
                if !context.isJSON {
                    context.confirm("\(source.name): may \(permissions.names.sorted().joined(separator: ", "))")
                }
            } catch {
                context.warn("\(source.name): its permissions can't be had: \(error.reason)")
            }
        }
    }

    /// The sources that are named; without names, all but the one that documents are imported as.
    private static func selectedSources(
        _ context: CommandContext, _ writer: borrowing CatalogWriter
    ) throws(Failure) -> [Source] {
        let names = context.invocation.words(for: .sourceNames)
        let all: [Source]
        do throws(CatalogError) { all = try writer.sources() } catch { throw .failed(error.reason) }
        if names.isEmpty { return all.filter { $0.name != importSource } }
        var selected: [Source] = []
        for name in names {
            guard let source = all.first(where: { $0.name == name }) else {
                throw .failed(CatalogError.unknownSource(name: name).reason)
            }
            guard name != importSource else {
                throw .failed(
                    "“\(importSource)” has no place to ask; import its document again with: bookshelf import FILE")
            }
            selected.append(source)
        }
        return selected
    }

    // MARK: - Report

    private static func report(
        _ reports: [SyncReport], _ context: CommandContext, subject: String?
    ) throws(Failure) {
        if context.isJSON {
            try context.print(SyncReport.json(reports))
        } else if !context.isQuiet {
            for report in reports where report.error == nil { tell(report, context) }
        }
        let failed = reports.filter { $0.error != nil }
        guard let first = failed.first else { return }
        let others =
            failed.count > 1
            ? " (and \(failed.count - 1) more: \(failed.dropFirst().map(\.source).joined(separator: ", ")))" : ""
        throw .failed("\(subject ?? first.source): \(first.error ?? "")\(others)")
    }

    private static func tell(_ report: SyncReport, _ context: CommandContext) {
        if report.isNotModified { return context.confirm("\(report.source): not modified") }
        context.confirm(
            "\(report.source): \(report.added) added, \(report.updated) updated, \(report.removed) removed, "
                + "\(report.unchanged) unchanged, \(report.skippedCount) skipped")
        for record in report.skipped.prefix(100) {
            context.confirm("  record \(record.number): \(record.reason)")
        }
        if report.skippedCount > 100 {
            context.confirm("  and \(report.skippedCount - 100) more; --json lists the first 10,000")
        }
    }
}

extension Result<SyncSummary, SourceError> {
    fileprivate var failure: SourceError? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension ProfileState {
    func sourceSync(_ loop: TransferLoop) -> SourceSync {
        SourceSync(
            loop: loop, samples: samplePolicy, connectTimeout: settings[.connectTimeout],
            stallTimeout: settings[.stallTimeout], accounts: sessions(loop), categoryField: settings[.categorySource])
    }
}
