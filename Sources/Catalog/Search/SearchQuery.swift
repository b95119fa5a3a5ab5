internal import TextForms

/// What somebody typed to find books.
///
/// What stands between blanks and signs is a word, and all words count. What is put in quotation marks belongs together, and so do
/// characters and words with nothing in between (`C语言`). Nothing of it is a command, and nothing is wrong.
package struct SearchQuery: Sendable {
    /// Units that stand behind each other.
    struct Phrase: Sendable {
        var units: [SearchUnit]

        /// Whether the last word may go on in a book.
        var isOpen = false
    }

    private(set) var phrases: [Phrase] = []

    /// The key of a title that is what was typed.
    let key: String

    /// How many phrases, and units of one, count; of more the first do.
    private static var maximumCount: Int { 32 }

    /// How much of what was typed is looked at, in scalars.
    private static var maximumScalarCount: Int { 2_000 }

    /// Whether it has no word at all, and finds nothing.
    package var isEmpty: Bool { phrases.isEmpty }

    package init(_ typed: String) {
        var part = String.UnicodeScalarView()
        var isQuoted = false
        for scalar in typed.unicodeScalars.prefix(Self.maximumScalarCount) {
            guard Self.isQuotationMark(scalar) else {
                part.append(scalar)
                continue
            }
            Self.add(String(part), isQuoted: isQuoted, isOpen: !isQuoted, to: &phrases)
            part = String.UnicodeScalarView()
            isQuoted.toggle()
        }
        // A mark that isn't closed is one that somebody is about to close.
        Self.add(String(part), isQuoted: isQuoted, isOpen: true, to: &phrases)
        phrases = Array(phrases.prefix(Self.maximumCount))
        for index in phrases.indices.dropLast() { phrases[index].isOpen = false }
        key = SearchKey.text(of: phrases.flatMap(\.units))
    }

    private static func isQuotationMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\"", "\u{201C}", "\u{201D}", "\u{201E}", "\u{201F}", "\u{FF02}": true
        default: false
        }
    }

    private static func add(_ text: String, isQuoted: Bool, isOpen: Bool, to phrases: inout [Phrase]) {
        let units = text.foldedForSearch.searchUnits
        var phrase: [SearchUnit] = []
        func end() {
            guard !phrase.isEmpty else { return }
            let isCut = phrase.count > maximumCount
            phrases.append(Phrase(units: Array(phrase.prefix(maximumCount)), isOpen: isOpen && !isCut))
            phrase = []
        }
        for unit in units {
            if !isQuoted, !unit.isAttached { end() }
            phrase.append(unit)
        }
        end()
    }

    /// Whether the last phrase stands in one of some texts, its last word as a beginning.
    ///
    /// - Parameter texts: In the form for searching.
    /// - Returns: Whether it does; `false` where nothing was typed.
    func lastPhraseStands(in texts: [String]) -> Bool {
        guard let phrase = phrases.last, let unit = phrase.units.first else { return false }
        if phrase.units.count == 1, phrase.isOpen, unit.kind == .word {
            let beginning = Array(unit.text.utf8)
            return texts.contains { SearchUnits.hasWord(beginningWith: beginning, in: $0.utf8.span) }
        }
        return texts.contains { phrase.stands(in: $0.searchUnits) }
    }
}

extension SearchQuery.Phrase {
    fileprivate func stands(in text: [SearchUnit]) -> Bool {
        guard text.count >= units.count else { return false }
        return (0...text.count - units.count).contains { stands(in: text, at: $0) }
    }

    private func stands(in text: [SearchUnit], at start: Int) -> Bool {
        for (index, unit) in units.enumerated() {
            let found = text[start + index]
            guard found.kind == unit.kind else { return false }
            let isBeginning = isOpen && index == units.count - 1 && unit.kind == .word
            guard isBeginning ? found.text.utf8.starts(with: unit.text.utf8) : found.hasText(of: unit) else {
                return false
            }
            if index > 0, unit.kind == .character, units[index - 1].kind == .character,
                found.isAttached != unit.isAttached
            {
                return false
            }
        }
        return true
    }
}

/// Which parts of a book count: fewer of them make a better find.
enum SearchTier: CaseIterable, Sendable {
    case title
    case titleAndAuthors
    case everything

    var columns: [SearchColumn] {
        switch self {
        case .title: [.title]
        case .titleAndAuthors: [.title, .authors]
        case .everything: [.title, .authors, .description]
        }
    }
}
