/// What of a Calibre library makes the categories.
package enum CategoryField: Hashable, Sendable {
    case tags
    case series
    case publisher

    /// A column that its owner has added, by its name without the `#`.
    case column(String)

    /// Makes it of a word; `nil` for any other one.
    ///
    /// - Parameter text: `tags`, `series`, `publisher`, or a column such as `#genre`.
    package init?(_ text: String) {
        switch text {
        case "tags": self = .tags
        case "series": self = .series
        case "publisher": self = .publisher
        default:
            guard text.hasPrefix("#"), text.utf8.count > 1 else { return nil }
            self = .column(String(text.dropFirst()))
        }
    }
}
