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
        let books = try selectedBooks(profile)
        let display = context.progressDisplay("fetching")
        let outcome = try profile.work(.fetch(books)) { progress in
            display.show(ProgressState(progress))
        } here: { work in
            work.fetch(books, progress: { display.show(ProgressState($0)) }, isAbandoned: { false })
        }
        display.finish()
        try report(outcome, verb: "fetched", already: "on disk already", context)
    }

    static func evict(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        let books = try selectedBooks(profile)
        let outcome = try profile.work(.evict(books)) { _ in
        } here: { work in
            work.evict(books)
        }
        try report(outcome, verb: "evicted", already: "not on disk", context)
    }

    /// The numbers of the books that the selectors mean.
    ///
    /// - Parameters:
    ///   - profile: Whose books.
    ///   - mayBeEmpty: Whether a selector may mean no book.
    /// - Returns: Each once, in the order in which they were named.
    /// - Throws: ``Failure``, also for a selector that means no book and has to.
    static func selectedBooks(
        _ profile: ProfileState, mayBeEmpty: (Selector) -> Bool = { $0 == .all }
    ) throws(Failure) -> [BookID] {
        var queries = try profile.queries()
        let mountPoints = profile.mountPoints
        var books: [BookID] = []
        var seen: Set<BookID> = []
        for selector in try profile.context.selectors {
            let selection = BookSelection(selector: selector, includesHidden: false, mountPoints: mountPoints)
            var isEmpty = true
            try selection.forEach(&queries) { (book) throws(Failure) in
                isEmpty = false
                if seen.insert(book.id).inserted { books.append(book.id) }
            }
            if isEmpty, !mayBeEmpty(selector) {
                throw .failed("a selector means no book on the shelf; bookshelf list shows them")
            }
        }
        return books
    }

    static func report(
        _ outcome: ContentWork.Outcome, verb: String, already: String, _ context: CommandContext
    ) throws(Failure) {
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
