/// A further arrangement of all books beside the layout, in a directory of its own.
package enum ShelfView: String, CaseIterable, Sendable {
    /// `Authors/NAME/`.
    case authors

    /// `Series/NAME/`, the names of files led by the index.
    case series

    /// `Titles/A/`.
    case titles

    /// Its directory in the root.
    package var title: String {
        switch self {
        case .authors: "Authors"
        case .series: "Series"
        case .titles: "Titles"
        }
    }

    /// Where a book stands in it.
    func placements(of book: BookFacts) -> [Placement] {
        let root = Placement.Folder(title, isView: true)
        switch self {
        case .authors:
            let names = book.authors.isEmpty ? [BookFacts.unknownAuthor] : book.authors.map(\.name)
            return names.map { Placement([root, Placement.Folder($0)]) }
        case .series:
            guard let series = book.series, !series.isEmpty else { return [] }
            return [Placement([root, Placement.Folder(series)], stem: book.stemInSeries)]
        case .titles:
            return [Placement([root, Placement.Folder(Self.initial(of: book.sortedTitle))])]
        }
    }

    /// The directory of a title: its first letter without marks, `0-9`, or `#` for what begins with neither.
    static func initial(of title: String) -> String {
        guard let first = title.first(where: { !$0.isWhitespace && !$0.isPunctuation }) else { return "#" }
        if first.isNumber { return "0-9" }
        guard first.isLetter else { return "#" }
        return String(first).uppercased()
    }
}

extension BookFacts {
    /// What a file is named after in the directory of its series: the index leads, so that names sort in reading order.
    var stemInSeries: String {
        guard let seriesIndex else { return title }
        return "\(FieldFormat(width: 2, isZeroPadded: true).text(of: seriesIndex)) \(title)"
    }
}
