internal import Catalog
internal import CommandLanguage
internal import Control
internal import JSON
internal import Shelf
internal import Terminal

/// `bookshelf pin SELECTOR...` and `bookshelf unpin SELECTOR...`.
enum PinCommands {
    /// Pins first, then fetches: what can't be had now the driver fetches later by itself.
    static func pin(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        let rules = try context.selectors.compactMap(\.pinRule)
        let books = try profile.books(of: context.selectors) { $0.pinRule != nil }
        let writer = try profile.writer()
        do throws(CatalogError) { try writer.pin(books, rules: rules) } catch { throw .failed(error.reason) }
        let outcome = try ContentCommands.bring(books, to: profile, telling: "pinning")
        if !context.isJSON {
            for rule in rules { context.confirm("what comes to \(rule.words) later is pinned, too") }
        }
        try ContentCommands.report(outcome, verb: "pinned and fetched", already: "pinned and on disk already", context)
    }

    /// Takes pins away, also of books that don't stand on the shelf: a rule pins those as well.
    static func unpin(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        let rules = try context.selectors.compactMap(\.pinRule)
        let books = try profile.books(of: context.selectors, includingHidden: true) { $0.pinRule != nil }
        let writer = try profile.writer()
        var outcome = ContentWork.Outcome()
        do throws(CatalogError) {
            outcome.doneCount = try writer.unpin(books, rules: rules)
        } catch {
            throw .failed(error.reason)
        }
        outcome.skippedCount = books.count - outcome.doneCount
        try ContentCommands.report(outcome, verb: "unpinned", already: "not pinned", context)
    }
}
