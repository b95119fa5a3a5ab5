/// A word with dashes that a command takes, with or without a value.
package struct Flag: Hashable, Sendable {
    /// As people write it, long first: `--layout`, `-f`.
    package let names: [String]

    /// What stands for the value in usage and help, for example `LAYOUT`; `nil` for a flag that takes none.
    package let placeholder: String?

    /// Whether each further occurrence adds a value, rather than replacing the one before.
    package let isRepeatable: Bool

    /// What it does, in a sentence.
    package let help: String

    /// The values that it takes, where there are only some; for completion.
    package let words: [String]

    package init(
        _ names: String..., value placeholder: String? = nil, isRepeatable: Bool = false, help: String,
        words: [String] = []
    ) {
        self.names = names
        self.placeholder = placeholder
        self.isRepeatable = isRepeatable
        self.help = help
        self.words = words
    }

    /// As usage shows it, for example `[--layout LAYOUT]`.
    var usage: String {
        let name = names.first ?? ""
        return "[\(name)\(placeholder.map { " \($0)" } ?? "")]" + (isRepeatable ? "..." : "")
    }

    /// As the list of flags shows it, for example `-q, --quiet`.
    var listing: String {
        names.sorted { $0.count < $1.count }.joined(separator: ", ") + (placeholder.map { " \($0)" } ?? "")
    }
}
