internal import Catalog
internal import CommandLanguage
internal import JSON
internal import Shelf
internal import Terminal

/// `bookshelf info SELECTOR`.
enum InfoCommand {
    static func run(_ context: CommandContext) throws(Failure) {
        let profile = try ProfileState(context)
        var queries = try profile.queries()
        let selector = try context.selector
        let subject = selector.map { "“\($0.text)”" } ?? "that"
        let selection = try profile.selection(of: selector, includingHidden: true, queries)
        var found: [CatalogBook] = []
        try selection.forEach(&queries) { (book) throws(Failure) in
            found.append(book)
            guard found.count < 2 else {
                throw .failed("\(subject) means several books; name one, for example with id:\(found[0].id.rawValue)")
            }
        }
        guard let book = found.first else { throw .failed("\(subject) means no book; bookshelf list --all shows them") }
        let description = BookDescription(book, states: try profile.localContent(queries))
        if context.isJSON { return try context.print(description.json(contents: book.contents)) }
        for (name, value) in lines(of: description) { try context.print("\(name): \(value)") }
        if !book.contents.isEmpty {
            try context.print("Contents:")
            for title in book.contents { try context.print("  \(title)") }
        }
    }

    private static func lines(of book: BookDescription) -> [(String, String)] {
        var lines: [(String, String)] = [("Title", book.title)]
        func add(_ name: String, _ value: String?) {
            if let value, !value.isEmpty { lines.append((name, value)) }
        }
        add("Author", book.authors.joined)
        add("Series", book.series.map { series in book.seriesIndex.map { "\(series), \($0)" } ?? series })
        add("Categories", book.categories.joined(separator: ", "))
        add("Language", book.language)
        add("Publisher", book.publisher)
        add("ISBN", book.isbn)
        add("Purchased", book.isPurchased ? book.purchasedAt.map(CivilTime.iso8601) ?? "yes" : "no")
        add("Number", "\(book.id.rawValue)")
        add("Source", book.source)
        add("State", book.state.rawValue)
        add("Size", book.byteCount.map(ByteText.short))
        add("Changed", book.modifiedAt.map(CivilTime.iso8601))
        add("SHA-256", book.sha256)
        for path in book.paths { add("Path", path) }
        add("Description", book.description)
        return lines
    }
}
