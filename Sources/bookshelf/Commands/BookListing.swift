internal import Catalog
internal import CommandLanguage
internal import JSON
internal import Shelf
internal import Terminal

/// Prints books as `list` and `search` do, one at a time: a million of them mustn't be held in memory.
final class BookListing {
    private let context: CommandContext
    private let states: LocalContent
    private var count = 0

    /// Nothing of it before the first book, so that a failure leaves no half document.
    private static var opening: String { "{\"books\":[" }

    init(_ context: CommandContext, states: LocalContent) {
        self.context = context
        self.states = states
    }

    func add(_ book: CatalogBook) throws(Failure) {
        if context.isJSON {
            let json = BookDescription(book, states: states).json
            try context.printRaw((count == 0 ? Self.opening + "\n" : ",\n") + json.terminalText(isIndented: false))
        } else {
            let place = book.paths.first ?? book.title
            let size = book.byteCount.map(ByteText.short) ?? "?"
            try context.print(fields: ["\(book.id.rawValue)", states.state(of: book).rawValue, size, place])
        }
        count += 1
    }

    /// - Parameter total: How many there are in all; `nil` if those were all.
    /// - Throws: ``Failure`` if it can't be written.
    func finish(total: Int? = nil) throws(Failure) {
        guard context.isJSON else { return }
        try context.printRaw((count == 0 ? Self.opening : "") + "\n],\"total\":\(total ?? count)}\n")
    }
}
