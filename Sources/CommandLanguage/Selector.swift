package import Shelf
internal import Spelling

/// Which books a person means.
package enum Selector: Hashable, Sendable {
    /// A file or directory, in the mount as a rule.
    case path(String)
    case id(BookID)
    case category(String)
    case author(String)
    case series(String)
    case search(String)
    case all

    /// The words that stand before a colon.
    private static let kinds = ["id", "category", "author", "series", "search", "all"]

    /// As a person writes it.
    package var text: String {
        switch self {
        case .path(let path): path
        case .id(let id): "id:\(id.rawValue)"
        case .category(let name): "category:\(name)"
        case .author(let name): "author:\(name)"
        case .series(let name): "series:\(name)"
        case .search(let words): "search:\(words)"
        case .all: "all:"
        }
    }

    /// Reads a word of the command line.
    ///
    /// What has no known word before a colon is a path. A single unknown word before one is taken for a mistake, unless the
    /// path begins with `/`, `./` or `../`: names in the shelf have no colon.
    ///
    /// - Throws: ``Failure`` for wrong usage.
    package init(_ text: String) throws(Failure) {
        guard !text.isEmpty else { throw .usage("an empty word selects no book") }
        guard let colon = text.firstIndex(of: ":"), !text[..<colon].contains("/") else {
            self = .path(text)
            return
        }
        let kind = String(text[..<colon])
        let value = String(text[text.index(after: colon)...])
        if kind == "all" {
            guard value.isEmpty else { throw .usage("“all:” stands alone; “\(text)” selects no book") }
            self = .all
            return
        }
        guard Selector.kinds.contains(kind) else {
            let hint = nearestWord(to: kind, among: Selector.kinds).map { "did you mean \($0):?" }
            throw .usage(
                "no books are selected by “\(kind):”; \(hint ?? "use id:, category:, author:, series:, search: or all:"); a path is written ./\(text)"
            )
        }
        guard !value.allSatisfy({ $0 == " " }) else { throw .usage("“\(text)” needs something after the colon") }
        switch kind {
        case "id":
            guard value.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int64(value), number > 0 else {
                throw .usage("“\(text)” needs the number of a book, as bookshelf list shows it")
            }
            self = .id(BookID(rawValue: number))
        case "category": self = .category(value)
        case "author": self = .author(value)
        case "series": self = .series(value)
        default: self = .search(value)
        }
    }
}
