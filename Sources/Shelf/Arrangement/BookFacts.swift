/// What the catalog says of a book, as far as it decides where the book stands.
///
/// All text is in NFC.
package struct BookFacts: Sendable {
    package let id: BookID
    package let title: String

    /// As it is sorted, for example `Overcoat, The`; `nil` where the source doesn't say.
    package let titleSort: String?
    package let authors: [Author]

    /// As the source wrote them, without what stands for none.
    package let categories: [String]
    package let series: String?
    package let seriesIndex: Double?
    package let language: String?
    package let publisher: String?
    package let isbn: String?

    /// Whether a dot separates the levels of a category, as in Calibre.
    package let splitsAtDots: Bool

    package init(
        id: BookID, title: String, titleSort: String? = nil, authors: [Author] = [], categories: [String] = [],
        series: String? = nil, seriesIndex: Double? = nil, language: String? = nil, publisher: String? = nil,
        isbn: String? = nil, splitsAtDots: Bool = false
    ) {
        self.id = id
        self.title = title
        self.titleSort = titleSort
        self.authors = authors
        self.categories = categories
        self.series = series
        self.seriesIndex = seriesIndex
        self.language = language
        self.publisher = publisher
        self.isbn = isbn
        self.splitsAtDots = splitsAtDots
    }

    /// The category of a book that has none.
    package static var uncategorised: String { "Uncategorised" }

    /// The author of a book that names none.
    package static var unknownAuthor: String { "Unknown" }

    /// By what the title is sorted: without an English article in front, where the source doesn't say.
    var sortedTitle: String {
        if let titleSort, !titleSort.isEmpty { return titleSort }
        for article in ["The ", "A ", "An "] where title.hasPrefix(article) && title.count > article.count {
            return "\(title.dropFirst(article.count)), \(article.dropLast())"
        }
        return title
    }

    /// The authors by what they are sorted, joined by ` & `.
    var sortedAuthors: String {
        authors.isEmpty ? Self.unknownAuthor : authors.map(\.sorted).joined(separator: " & ")
    }
}

extension Author {
    /// By what the author is sorted: `Last, First` where the source doesn't say and the name is one of the West.
    var sorted: String {
        if let sortName, !sortName.isEmpty { return sortName }
        var words = name.split(separator: " ")
        guard words.count > 1, !name.contains(","), name.unicodeScalars.allSatisfy({ $0.value < 0x590 }) else {
            return name
        }
        var suffix = ""
        if let last = words.last, Self.suffixes.contains(last.lowercased()), words.count > 2 {
            suffix = " \(last)"
            words.removeLast()
        }
        guard let last = words.popLast() else { return name }
        return "\(last)\(suffix), \(words.joined(separator: " "))"
    }

    private static var suffixes: Set<String> { ["jr", "jr.", "sr", "sr.", "ii", "iii", "iv", "phd", "ph.d."] }
}
