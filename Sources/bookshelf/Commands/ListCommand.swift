internal import Arguments
internal import Catalog
internal import CommandLanguage

/// `bookshelf list [SELECTOR] [--all]`.
enum ListCommand {
    static func run(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        var queries = try profile.queries()
        let selection = try profile.selection(
            of: context.selector, includingHidden: context.invocation.has(.all), queries)
        let listing = BookListing(context, states: try profile.localContent(queries))
        try selection.forEach(&queries) { (book) throws(Failure) in try listing.add(book) }
        try listing.finish()
    }
}
