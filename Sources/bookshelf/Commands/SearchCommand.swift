internal import Arguments
internal import Catalog
internal import CommandLanguage
internal import Settings
internal import Shelf
internal import Terminal

/// `bookshelf search WORDS [--all] [--limit N]`.
enum SearchCommand {
    static func run(_ context: CommandContext) throws(Failure) {
        let limit = try limit(context)
        let profile = try ProfileState(context)
        var queries = try profile.queries()
        try profile.updateSearchIndex(queries)
        let includesAll = context.invocation.has(.all)
        let query = SearchQuery(context.invocation.words(for: .searchWords).joined(separator: " "))
        let found: FoundBooks
        do throws(CatalogError) {
            found = try queries.search(query, includesUnpurchased: includesAll, limit: limit)
        } catch {
            throw .failed(error.reason)
        }
        let listing = try BookListing(context, states: profile.localContent(queries))
        for id in found.books {
            let book: CatalogBook?
            do throws(CatalogError) { book = try queries.book(id) } catch { throw .failed(error.reason) }
            // It may have gone since it was indexed.
            guard let book, includesAll || book.isPurchased else { continue }
            try listing.add(book)
        }
        try listing.finish(total: found.total)
    }

    private static func limit(_ context: CommandContext) throws(Failure) -> Int? {
        guard let text = context.invocation.value(of: .limit) else { return nil }
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let limit = Int(text), limit > 0 else {
            throw .usage("--limit needs a number from 1 on, not “\(text)”")
        }
        return limit
    }
}

extension ProfileState {
    /// How long a search waits for another process that makes the index.
    private static var indexPatience: Duration { .seconds(2) }

    /// Of how many books a new index is made so quickly that nobody needs to be told.
    private static var quickCount: Int { 20_000 }

    /// Brings the search index up to date; where another process is about to do so for long, says what it lacks.
    ///
    /// - Throws: ``Failure``.
    func updateSearchIndex(_ queries: borrowing CatalogQueries) throws(Failure) {
        let display = context.progressDisplay("indexing")
        do throws(CatalogError) {
            let outcome = try SearchIndexer(catalogPath: paths.catalog)
                .bringUpToDate(waitingAtMost: Self.indexPatience) { done, all in
                    guard all > Self.quickCount else { return }
                    var state = ProgressState()
                    (state.doneCount, state.totalCount) = (done, all)
                    display.show(state)
                }
            display.finish()
            guard outcome == .isBusy else { return }
            let pending = try queries.pendingIndexCount()
            if pending > 0, !context.isQuiet {
                context.warn("the search index is being made; \(pending) books are not in it as they are yet")
            }
        } catch {
            throw .failed(error.reason)
        }
    }
}
