internal import SQLite
internal import TextForms

/// How the books of one rank are found.
///
/// What the last word may go on to is written out where those are few words. Where they are many, FTS5 may put their lists together, which
/// takes as long as they are: short ones in titles and names of authors, those of half the shelf in descriptions. So there, books with the other
/// words are looked at one by one, of which many have it.
enum SearchPass {
    /// By an expression of FTS5.
    case expression(String)

    /// By an expression that finds too many, and a look at the texts of each.
    case candidates(String, SearchTier)

    /// By a look at each title, for a word with this beginning: so many words have it that few titles have to be looked at.
    case titles([UInt8])

    /// How many ranks there are: a whole title, then each tier with the last word whole, and with what it goes on to.
    static var count: Int { 1 + 2 * SearchTier.allCases.count }

    /// Up to how many words are written out, in titles and names, and in descriptions.
    private static func maximumWordCount(in tier: SearchTier) -> Int { tier == .everything ? 512 : 64 }

    /// Up to how many words FTS5 puts together.
    private static var maximumJoinedCount: Int { 2_000 }

    /// `nil` for a rank that has no books which those before don't have.
    ///
    /// - Parameters:
    ///   - number: Of the rank, from 0 on.
    ///   - query: What was typed.
    ///   - words: Selects the words between ?1 and ?2, ?3 at most.
    /// - Throws: ``SQLiteError``.
    init?(_ number: Int, of query: SearchQuery, words: inout Statement) throws(SQLiteError) {
        guard number > 0 else {
            self = .expression(SearchExpression.title(query.key))
            return
        }
        let tier = SearchTier.allCases[(number - 1) / 2]
        guard number % 2 == 0 else {
            guard let text = SearchExpression.books(with: query.phrases, in: tier, last: .whole) else { return nil }
            self = .expression(text)
            return
        }
        guard let beginning = query.beginning else { return nil }
        let longer = try LongerWords(beginning, in: tier, words: &words)
        guard longer.count > 0 else { return nil }
        if longer.count > Self.maximumWordCount(in: tier) {
            let isJoinable = longer.count <= Self.maximumJoinedCount && tier != .everything
            if !isJoinable, let others = query.withoutLastWord,
                let text = SearchExpression.books(with: others, in: tier, last: .whole)
            {
                self = .candidates(text, tier)
                return
            }
            if !isJoinable, tier == .title {
                self = .titles(Array(beginning.utf8))
                return
            }
            guard let text = SearchExpression.books(with: query.phrases, in: tier, last: .beginning) else { return nil }
            self = .expression(text)
            return
        }
        let last = SearchExpression.LastWord.oneOf(longer.words, andItself: false)
        guard let text = SearchExpression.books(with: query.phrases, in: tier, last: last) else { return nil }
        self = .expression(text)
    }

    /// Finds the books of all ranks.
    ///
    /// - Returns: `nil` if only a look at their texts tells.
    /// - Throws: ``SQLiteError``.
    static func expressionOfAll(_ query: SearchQuery, words: inout Statement) throws(SQLiteError) -> String? {
        let tier = SearchTier.everything
        guard let beginning = query.beginning else {
            return SearchExpression.books(with: query.phrases, in: tier, last: .whole)
        }
        let longer = try LongerWords(beginning, in: tier, words: &words)
        if longer.count <= maximumWordCount(in: tier) {
            let last = SearchExpression.LastWord.oneOf(longer.words, andItself: true)
            return SearchExpression.books(with: query.phrases, in: tier, last: last)
        }
        if query.withoutLastWord != nil { return nil }
        return SearchExpression.books(with: query.phrases, in: tier, last: .beginning)
    }

    /// The words that a beginning may go on to.
    private struct LongerWords {
        var words: [SearchColumn: [String]] = [:]
        var count = 0

        init(_ beginning: String, in tier: SearchTier, words select: inout Statement) throws(SQLiteError) {
            for column in tier.columns where count <= maximumJoinedCount {
                let first = String(UnicodeScalar(column.word)) + beginning
                // Nothing that goes on from it stands behind this, as no word has such a character.
                let end = first + "\u{10FFFF}"
                let values: [Value] = [.text(first), .text(end), .integer(Int64(maximumJoinedCount + 1 - count))]
                var found: [String] = []
                try select.forEachRow(values) { (row) throws(SQLiteError) in
                    found.append(String(Substring(row.text(at: 0).utf8.dropFirst())))
                }
                words[column] = found
                count += found.count
            }
        }
    }
}

extension SearchQuery {
    /// The last word, if it may go on.
    fileprivate var beginning: String? {
        guard let phrase = phrases.last, phrase.isOpen, let unit = phrase.units.last, unit.kind == .word else {
            return nil
        }
        return unit.text
    }

    /// What else a book has to have; `nil` if the last word is all that was typed.
    fileprivate var withoutLastWord: [Phrase]? {
        guard var last = phrases.last else { return nil }
        last.units.removeLast()
        last.isOpen = false
        let others = phrases.dropLast() + (last.units.isEmpty ? [] : [last])
        return others.isEmpty ? nil : Array(others)
    }
}
