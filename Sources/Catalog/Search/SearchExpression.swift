internal import TextForms

/// Writes what is searched for in the language of FTS5, in which every term stands in quotation marks: a term has none in it.
///
/// SQLite: <https://www.sqlite.org/fts5.html#full_text_query_syntax>
enum SearchExpression {
    /// What the last word of the last phrase stands for.
    enum LastWord {
        /// Itself.
        case whole

        /// These words of the shelf that go on from it, by column, and with `andItself` itself too.
        case oneOf([SearchColumn: [String]], andItself: Bool)

        /// Every word that goes on from it, itself included.
        case beginning
    }

    /// Books that have every phrase in parts that count.
    ///
    /// - Parameters:
    ///   - phrases: What was typed.
    ///   - tier: Which parts count.
    ///   - last: What the last word stands for.
    /// - Returns: `nil` if no book can have it.
    static func books(with phrases: [SearchQuery.Phrase], in tier: SearchTier, last: LastWord) -> String? {
        var parts: [String] = []
        for (index, phrase) in phrases.enumerated() {
            let isLast = index == phrases.count - 1
            var choices: [String] = []
            for column in tier.columns {
                choices += Self.choices(of: phrase, in: column, last: isLast ? last : .whole)
            }
            guard !choices.isEmpty else { return nil }
            parts.append("(" + choices.joined(separator: " OR ") + ")")
        }
        return parts.isEmpty ? nil : parts.joined(separator: " AND ")
    }

    private static func choices(
        of phrase: SearchQuery.Phrase, in column: SearchColumn, last: LastWord
    ) -> [String] {
        guard let unit = phrase.units.last else { return [] }
        guard phrase.isOpen, unit.kind == .word else { return [text(of: phrase.units, in: column)] }
        switch last {
        case .whole: return [text(of: phrase.units, in: column)]
        case .beginning: return [text(of: phrase.units, in: column) + " *"]
        case .oneOf(let words, let andItself):
            var choices = andItself ? [text(of: phrase.units, in: column)] : []
            for word in words[column] ?? [] {
                let longer = SearchUnit(kind: .word, text: word, isAttached: unit.isAttached)
                choices.append(text(of: phrase.units.dropLast() + [longer], in: column))
            }
            return choices
        }
    }

    /// The book whose title is what was typed.
    static func title(_ key: String) -> String { "\"" + TermText.wholeTitle(key) + "\"" }

    private static func text(of units: [SearchUnit], in column: SearchColumn) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        var ending = "\""
        for (index, unit) in units.enumerated() {
            let isLast = index == units.count - 1
            if isLast, unit.kind == .character {
                if units.count == 1 {
                    bytes.append(column.single)
                    bytes += unit.text.utf8
                    break
                }
                // The pair before it has it already.
                if unit.isAttached, units[index - 1].kind == .character { break }
                // Alone behind a word: whatever follows it in the book.
                ending = "\" *"
            }
            if index > 0 { bytes.append(UInt8(ascii: " ")) }
            TermText.append(unit, before: isLast ? nil : units[index + 1], as: column, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self) + ending
    }
}
