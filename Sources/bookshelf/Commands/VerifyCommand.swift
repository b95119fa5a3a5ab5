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
            for line in report.lines { try context.print(context.hints.completed(line)) }
            context.confirm(report.summary)
        }
        if let complaint = report.complaint { throw .failed(complaint) }
    }

    /// - Returns: `nil` for all that is on disk.
    private static func selectedBooks(_ profile: ProfileState) throws(Failure) -> [BookID]? {
        guard let selector = try profile.context.selector, selector != .all else {
            // Not used here, but without a catalog nothing can be said of what belongs to it.
            _ = try profile.queries()
            return nil
        }
        return try profile.books(of: [selector], includingHidden: true)
    }
}
