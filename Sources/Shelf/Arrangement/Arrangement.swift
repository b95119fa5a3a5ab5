/// How a shelf is arranged: its layout, and the views beside it.
package struct Arrangement: Hashable, Sendable {
    package let layout: Layout

    /// In the order of ``ShelfView/allCases``.
    package let views: [ShelfView]

    /// Whether a nested category becomes nested directories.
    package let splitsCategories: Bool

    package init(_ layout: Layout = .category, views: [ShelfView] = [], splitsCategories: Bool = false) {
        self.layout = layout
        self.views = ShelfView.allCases.filter(views.contains)
        self.splitsCategories = splitsCategories
    }

    /// Reads ``text``.
    ///
    /// It is `nil` for what this version doesn't know.
    package init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 3, let layout = try? Layout(String(lines[0])) else { return nil }
        let views = lines[1].split(separator: " ").map { ShelfView(rawValue: String($0)) }
        self.init(layout, views: views.compactMap { $0 }, splitsCategories: lines[2] == "split")
        if views.contains(nil) { return nil }
    }

    /// All of it in one text, by which two are compared.
    package var text: String {
        "\(layout.text)\n\(views.map(\.rawValue).joined(separator: " "))\n\(splitsCategories ? "split" : "")"
    }

    /// Whether a book stands in directories of the root, by its categories alone: so it is with most shelves.
    package var isByCategoryAlone: Bool { layout == .category && views.isEmpty && !splitsCategories }

    /// Where a book stands, each place once.
    package func placements(of book: BookFacts) -> [Placement] {
        layout.placements(of: book, splitsCategories: splitsCategories) + views.flatMap { $0.placements(of: book) }
    }
}
