/// How books are arranged in directories.
package enum Layout: Hashable, Sendable {
    /// A directory for each category.
    case category

    /// A directory for each first author.
    case author

    /// A directory for each series; other books stand in the root.
    case series

    /// All in the root.
    case flat

    /// A directory for each series, and one for each other book, as Kavita wants it: nothing in the root.
    case kavita

    /// The same for Komga, to which every directory is a series.
    case komga
    case template(LayoutTemplate)

    /// The layouts that have a name.
    private static var named: [(name: String, layout: Layout)] {
        [
            ("category", .category), ("author", .author), ("series", .series), ("flat", .flat), ("kavita", .kavita),
            ("komga", .komga),
        ]
    }

    /// - Parameter text: The name of a layout, or a template.
    /// - Throws: ``LayoutTemplate/Fault``.
    package init(_ text: String) throws(LayoutTemplate.Fault) {
        if let found = Self.named.first(where: { $0.name == text }) {
            self = found.layout
        } else if text.contains("{") {
            self = .template(try LayoutTemplate(text))
        } else {
            let names = Self.named.map(\.name).joined(separator: ", ")
            throw LayoutTemplate.Fault(
                position: 1, reason: "no layout is called “\(text)”; there are \(names), and templates with {fields}")
        }
    }

    /// As it is written in a setting.
    package var text: String {
        if case .template(let template) = self { return template.text }
        return Self.named.first { $0.layout == self }?.name ?? "category"
    }

    /// Where a book stands.
    ///
    /// - Parameters:
    ///   - book: Which one.
    ///   - splitsCategories: Whether a nested category becomes nested directories.
    /// - Returns: Its places, of which two may be one.
    func placements(of book: BookFacts, splitsCategories: Bool) -> [Placement] {
        switch self {
        case .category:
            let categories = book.categories.isEmpty ? [BookFacts.uncategorised] : book.categories
            return categories.map { category in
                let titles = splitsCategories ? Self.levels(of: category, atDots: book.splitsAtDots) : [category]
                return Placement(titles.map { Placement.Folder($0) })
            }
        case .author:
            return [Placement([Placement.Folder(book.authors.first?.name ?? BookFacts.unknownAuthor)])]
        case .series:
            guard let series = book.series, !series.isEmpty else { return [Placement([])] }
            return [Placement([Placement.Folder(series)], stem: book.stemInSeries)]
        case .flat: return [Placement([])]
        case .kavita, .komga:
            guard let series = book.series, !series.isEmpty else {
                return [Placement([Placement.Folder(book.title)])]
            }
            return [Placement([Placement.Folder(series)], stem: book.stemInSeries)]
        case .template(let template): return template.placements(of: book)
        }
    }

    /// The levels of a category such as `Fiction / Crime`, or of Calibre's `Fiction.Crime`.
    static func levels(of category: String, atDots: Bool) -> [String] {
        let levels = category.split { $0 == "/" || (atDots && $0 == ".") }.map { part in
            var text = part.drop { $0 == " " }
            while text.last == " " { text.removeLast() }
            return String(text)
        }.filter { !$0.isEmpty }
        return levels.isEmpty ? [category] : levels
    }
}
