/// One thing that a program can be told to do: declared once, and parsed, explained and completed from that.
package struct Command: Hashable, Sendable {
    /// One word, or two for a command of a group: `source add`.
    package let name: String

    /// In order; at most one takes many words.
    package let operands: [Operand]
    package let flags: [Flag]

    /// What it does, in a sentence.
    package let help: String

    package init(_ name: String, operands: [Operand] = [], flags: [Flag] = [], help: String) {
        self.name = name
        self.operands = operands
        self.flags = flags
        self.help = help
    }

    var words: [String] { name.split(separator: " ").map(String.init) }

    /// The command with everything it takes, for example `mount MOUNTPOINT [-f]`.
    package var usage: String {
        ([name] + operands.map(\.usage) + flags.map(\.usage)).joined(separator: " ")
    }
}
