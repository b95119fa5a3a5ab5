internal import Arguments
internal import Catalog
internal import CommandLanguage
internal import Control
internal import Shelf
internal import Terminal

/// `bookshelf verify [SELECTOR] [--repair]`.
enum VerifyCommand {
    static func run(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        let isRepairing = context.invocation.has(.repair)
        let books = try selectedBooks(profile)
        let display = context.progressDisplay("verifying")
        let answer = try profile.perform(.verify(books, isRepairing: isRepairing)) { progress in
            display.show(ProgressState(progress))
        } here: { work in
            VerificationWork(work: work).run(
                books, isRepairing: isRepairing, progress: { display.show(ProgressState($0)) }, isAbandoned: { false })
        }
        display.finish()
        let report = VerificationReport(answer)
        if context.isJSON {
            try context.print(report.json)
        } else {
            for line in report.lines { try context.print(line) }
            context.confirm(report.summary)
        }
        if let complaint = report.complaint { throw .failed(complaint) }
    }

    /// - Returns: `nil` for all that is on disk.
    private static func selectedBooks(_ profile: ProfileState) throws(Failure) -> [BookID]? {
        // Also where it isn't used: without a catalog nothing can be said of what belongs to it.
        var queries = try profile.queries()
        guard let selector = try profile.context.selector, selector != .all else { return nil }
        var books: [BookID] = []
        let selection = BookSelection(selector: selector, includesHidden: true, mountPoints: profile.mountPoints)
        try selection.forEach(&queries) { (book) throws(Failure) in books.append(book.id) }
        guard !books.isEmpty else {
            throw .failed("the selector means no book on the shelf; bookshelf list shows them")
        }
        return books
    }
}
