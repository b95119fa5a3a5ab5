/// Rows of texts under each other.
package struct Table: Sendable {
    /// What all texts of a column share.
    package struct Column: Sendable {
        package let title: String
        package let isRightAligned: Bool

        /// Whether its texts may be cut where the terminal is too narrow.
        package let isFlexible: Bool

        package init(_ title: String, isRightAligned: Bool = false, isFlexible: Bool = false) {
            self.title = title
            self.isRightAligned = isRightAligned
            self.isFlexible = isFlexible
        }
    }

    /// No flexible column becomes narrower than this, in columns of the terminal.
    private static let minimumWidth = 8
    private let columns: [Column]
    private var rows: [[String]] = []

    package init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row of as many texts as there are columns; they are made safe for a terminal.
    package mutating func add(_ texts: [String]) {
        precondition(texts.count == columns.count, "a row has a text for each column")
        rows.append(texts.map(\.safe))
    }

    /// The titles and the rows as lines.
    ///
    /// - Parameter width: What lines should fit into; `nil` for no limit, where a program reads them.
    /// - Returns: Lines without line feeds.
    package func lines(fitting width: Int?) -> [String] {
        let all = [columns.map(\.title)] + rows
        var widths = columns.indices.map { column in all.reduce(0) { max($0, $1[column].columnCount) } }
        if let width { shrink(&widths, to: width) }
        return all.map { row in
            var line = ""
            for (index, column) in columns.enumerated() {
                let text = column.isFlexible ? row[index].fitted(to: widths[index]) : row[index]
                line += text.padded(to: widths[index], isRightAligned: column.isRightAligned)
                if index < columns.count - 1 { line += "  " }
            }
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// Takes from the widest flexible column until the line fits, or none can give any more.
    private func shrink(_ widths: inout [Int], to width: Int) {
        var excess = widths.reduce(2 * (widths.count - 1), +) - width
        while excess > 0 {
            let flexible = columns.indices.filter { columns[$0].isFlexible && widths[$0] > Table.minimumWidth }
            guard let widest = flexible.max(by: { widths[$0] < widths[$1] }) else { return }
            widths[widest] -= 1
            excess -= 1
        }
    }
}
