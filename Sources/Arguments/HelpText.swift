extension Program {
    /// The text that explains commands.
    ///
    /// - Parameters:
    ///   - commands: One is explained whole; several are listed.
    ///   - width: Lines are broken to fit it, in characters.
    /// - Returns: Lines, each ended by a line feed.
    package func helpText(for commands: [Command], width: Int = 80) -> String {
        var text = HelpText(width: max(40, width))
        if let command = commands.first, commands.count == 1 {
            text.paragraph("Usage: \(name) ", command.usage)
            text.paragraph("", command.help)
            text.list("Operands", command.operands.map { ($0.name, $0.help) })
            text.list("Flags", command.flags.map { ($0.listing, $0.help) })
        } else {
            text.paragraph("Usage: \(name) ", (flags.map(\.usage) + ["COMMAND"]).joined(separator: " "))
            if commands.count == self.commands.count { text.paragraph("", help) }
            text.list("Commands", commands.map { ($0.name, $0.help) })
        }
        text.list("Flags of every command", flags.map { ($0.listing, $0.help) })
        return text.lines.map { $0 + "\n" }.joined()
    }
}

/// Lines of help as they grow.
private struct HelpText {
    let width: Int
    var lines: [String] = []

    /// Adds a text whose later lines are indented below `lead`, with an empty line before it unless it is the first.
    mutating func paragraph(_ lead: String, _ text: String) {
        if !lines.isEmpty { lines.append("") }
        add(lead, text, indentedBy: lead.count)
    }

    /// Adds a list of terms with their explanations; nothing for an empty one.
    mutating func list(_ title: String, _ entries: [(term: String, text: String)]) {
        guard !entries.isEmpty else { return }
        lines += ["", "\(title):"]
        let column = min(26, (entries.map(\.term.count).max() ?? 0) + 4)
        for (term, text) in entries {
            let lead = "  \(term)"
            if lead.count + 2 > column {
                lines.append(lead)
                add(String(repeating: " ", count: column), text, indentedBy: column)
            } else {
                add(lead + String(repeating: " ", count: column - lead.count), text, indentedBy: column)
            }
        }
    }

    private mutating func add(_ lead: String, _ text: String, indentedBy indentation: Int) {
        var line = lead
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: indentation)
                isEmpty = true
            }
            line += isEmpty ? word : " \(word)"
            isEmpty = false
        }
        lines.append(line)
    }
}
