/// What a template may name, by Calibre's names.
package enum LayoutField: String, CaseIterable, Sendable {
    case title

    /// As it is sorted.
    case sort
    case titleSort = "title_sort"
    case author
    case authors
    case authorSort = "author_sort"
    case series
    case seriesIndex = "series_index"

    /// One category; a book in several stands once in each.
    case category

    /// All categories.
    case tags
    case language
    case languages
    case publisher
    case isbn
    case id

    /// What it is for a book; empty where the book has none.
    func text(of book: BookFacts, category: String, format: FieldFormat) -> String {
        let text =
            switch self {
            case .title: book.title
            case .sort, .titleSort: book.sortedTitle
            case .author: book.authors.first?.name ?? BookFacts.unknownAuthor
            case .authors: book.authors.isEmpty ? BookFacts.unknownAuthor : book.authors.joined
            case .authorSort: book.sortedAuthors
            case .series: book.series ?? ""
            case .seriesIndex: book.series == nil ? "" : book.seriesIndex.map(format.text(of:)) ?? ""
            case .category: category
            case .tags: book.categories.joined(separator: ", ")
            case .language, .languages: book.language ?? ""
            case .publisher: book.publisher ?? ""
            case .isbn: book.isbn ?? ""
            case .id: String(book.id.rawValue)
            }
        return text.isEmpty || self == .seriesIndex ? text : format.text(of: text)
    }
}
