internal import Catalog
internal import CommandLanguage
internal import Control
internal import JSON
internal import Shelf
internal import Terminal

/// `bookshelf fetch SELECTOR...` and `bookshelf evict SELECTOR...`.
enum ContentCommands {
    static func fetch(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        let outcome = try bring(profile.books(of: context.selectors), to: profile, telling: "fetching")
        try report(outcome, verb: "fetched", already: "on disk already", context)
    }

    static func evict(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        let books = try profile.books(of: context.selectors)
        let outcome = try profile.work(.evict(books)) { _ in
        } here: { work in
            work.evict(books)
        }
        try report(outcome, verb: "evicted", already: "not on disk", context)
    }

    /// Fetches books, and shows how far that is.
    ///
    /// - Parameters:
    ///   - books: By number.
    ///   - profile: Whose books.
    ///   - verb: What is being done, for display.
    /// - Returns: What became of each.
    /// - Throws: ``Failure`` if nothing could be begun.
    static func bring(
        _ books: [BookID], to profile: ProfileState, telling verb: String
    ) throws(Failure) -> ContentWork.Outcome {
        let display = profile.context.progressDisplay(verb)
        let outcome = try profile.work(.fetch(books)) { progress in
            display.show(ProgressState(progress))
        } here: { work in
            work.fetch(books, progress: { display.show(ProgressState($0)) }, isAbandoned: { false })
        }
        display.finish()
        return outcome
    }

    static func report(
        _ outcome: ContentWork.Outcome, verb: String, already: String, _ context: CommandContext
    ) throws(Failure) {
        var outcome = outcome
        for index in outcome.failed.indices {
            outcome.failed[index].reason = context.hints.completed(outcome.failed[index].reason)
        }
        if context.isJSON {
            try context.print(outcome.json)
        } else {
            context.confirm("\(outcome.doneCount) \(verb), \(outcome.skippedCount) \(already)")
        }
        guard let first = outcome.failed.first else { return }
        let others = outcome.failed.count > 1 ? " (and \(outcome.failed.count - 1) more)" : ""
        throw .failed("\(first.reason)\(others)")
    }
}

extension ProgressState {
    /// What the driver tells, for display.
    init(_ progress: ControlProgress) {
        self.init()
        doneCount = progress.doneCount
        totalCount = progress.totalCount
        doneByteCount = progress.doneByteCount
        totalByteCount = progress.totalByteCount
        subject = progress.subject
    }
}
