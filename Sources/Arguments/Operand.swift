/// A word without dashes that a command takes.
package struct Operand: Hashable, Sendable {
    /// How many words stand in its place.
    package enum Count: Sendable {
        case one
        case optional
        case any
        case atLeastOne

        var isRequired: Bool { self == .one || self == .atLeastOne }
        var isMany: Bool { self == .any || self == .atLeastOne }
    }

    /// As usage shows it, for example `MOUNTPOINT`.
    package let name: String
    package let count: Count

    /// What it is, in a sentence.
    package let help: String

    package init(_ name: String, _ count: Count = .one, help: String) {
        self.name = name
        self.count = count
        self.help = help
    }

    var usage: String {
        switch count {
        case .one: name
        case .optional: "[\(name)]"
        case .any: "[\(name)...]"
        case .atLeastOne: "\(name)..."
        }
    }
}
