internal import Arguments
internal import Catalog
internal import CommandLanguage
internal import JSON
internal import Shelf
internal import Terminal

/// `bookshelf list [SELECTOR] [--all]`.
enum ListCommand {
    static func run(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        var queries = try profile.queries()
        let selection = BookSelection(
            selector: try context.selector, includesHidden: context.invocation.has(.all),
            mountPoints: profile.mountPoints)
        let states = try profile.localContent(queries)
        if context.isJSON { return try printJSON(selection, &queries, states, context) }
        try selection.forEach(&queries) { (book) throws(Failure) in
            let place = book.paths.first ?? book.title
            let size = book.byteCount.map(ByteText.short) ?? "?"
            try context.print(fields: ["\(book.id.rawValue)", states.state(of: book).rawValue, size, place])
        }
    }

    /// One book at a time: a million of them mustn't be held in memory.
    private static func printJSON(
        _ selection: BookSelection, _ queries: inout CatalogQueries, _ states: LocalContent, _ context: CommandContext
    ) throws(Failure) {
        var total = 0
        // Nothing before the first book, so that a failure leaves no half document.
        let opening = "{\"books\":["
        try selection.forEach(&queries) { (book) throws(Failure) in
            let json = BookDescription(book, states: states).json
            try context.printRaw((total == 0 ? opening + "\n" : ",\n") + json.terminalText(isIndented: false))
            total += 1
        }
        try context.printRaw((total == 0 ? opening : "") + "\n],\"total\":\(total)}\n")
    }
}
