import Foundation
import Shelf

/// A book as a scan reads it: its parts as strings in which one blank stands between what doesn't belong together, and `|` at the
/// borders of words.
struct ScannedBook {
    let id: BookID
    let isPurchased: Bool
    let title: String
    let names: [String]
    let description: String

    init(_ record: BookRecord, _ id: BookID) {
        self.id = id
        isPurchased = record.isPurchased
        title = PlainText.marked(record.title)
        names = record.authors.map { PlainText.marked($0.name) }
        description = PlainText.marked(record.description ?? "")
    }

    /// The title without marks of borders.
    var key: String { PlainText.key(title) }
}

/// Texts as a scan compares them.
///
/// For Latin, Greek, Cyrillic, Han and some emoji alone.
enum PlainText {
    /// `|word|` for words and emoji; Han characters bare; a blank wherever something else stands.
    static func marked(_ text: String) -> String {
        let folded = text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
            .replacingOccurrences(of: "\u{FE0F}", with: "").replacingOccurrences(of: "ς", with: "σ")
        var marked = ""
        var isInWord = false
        for character in folded {
            let isWord = (character.isLetter || character.isNumber) && !isHan(character)
            if isInWord, !isWord { marked += "|" }
            if isWord {
                if !isInWord { marked += "|" }
                marked.append(character)
            } else if isHan(character) {
                marked.append(character)
            } else if character.unicodeScalars.contains(where: \.properties.isEmoji), !character.isASCII {
                marked += "|\(character)|"
            } else if marked.last != " " {
                marked += " "
            }
            isInWord = isWord
        }
        if isInWord { marked += "|" }
        return marked.trimmingCharacters(in: .whitespaces)
    }

    /// What a title is ordered by: words with one blank between them, and Han characters of one run together.
    static func key(_ marked: String) -> String {
        marked.replacingOccurrences(of: "|", with: " ").split(separator: " ").joined(separator: " ")
    }

    static func isHan(_ character: Character) -> Bool {
        character.unicodeScalars.first.map { (0x4E00...0x9FFF).contains($0.value) } ?? false
    }
}

/// Looks at every book for what was typed.
struct PlainScan {
    /// What has to stand in a part, and where the last word of it may go on, that.
    private var wanted: [(whole: NSRegularExpression, beginning: NSRegularExpression)] = []
    private let key: String

    init(_ typed: String) throws {
        var parts = typed.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
        if parts.isEmpty { parts = [""] }
        var pieces: [(text: String, isClosed: Bool)] = []
        for (index, part) in parts.enumerated() {
            let marked = PlainText.marked(part)
            let isQuoted = index % 2 == 1
            let texts = isQuoted ? [marked] : marked.split(separator: " ").map(String.init)
            pieces += texts.filter { !$0.isEmpty }.map { ($0, isQuoted && index + 1 < parts.count) }
        }
        for (index, piece) in pieces.enumerated() {
            let mayGoOn = index == pieces.count - 1 && !piece.isClosed && piece.text.last == "|"
            wanted.append(
                (
                    try NSRegularExpression(pattern: PlainText.pattern(piece.text)),
                    try NSRegularExpression(
                        pattern: PlainText.pattern(mayGoOn ? String(piece.text.dropLast()) : piece.text))
                ))
        }
        key = PlainText.key(parts.map(PlainText.marked).joined(separator: " "))
    }

    /// The books that fit, best first.
    func find(_ books: [ScannedBook], all: Bool) -> [BookID] {
        guard !wanted.isEmpty else { return [] }
        var found: [(book: ScannedBook, rank: Int)] = []
        for book in books where all || book.isPurchased {
            if let rank = rank(of: book) { found.append((book, rank)) }
        }
        found.sort { left, right in
            if left.book.isPurchased != right.book.isPurchased { return left.book.isPurchased }
            if left.rank != right.rank { return left.rank < right.rank }
            let (first, second) = (Array(left.book.key.utf8), Array(right.book.key.utf8))
            if first != second { return first.lexicographicallyPrecedes(second) }
            return left.book.id.rawValue < right.book.id.rawValue
        }
        return found.map(\.book.id)
    }

    private func rank(of book: ScannedBook) -> Int? {
        if book.key == key { return 0 }
        let tiers = [[book.title], [book.title] + book.names, [book.title] + book.names + [book.description]]
        for (number, parts) in tiers.enumerated() {
            if fits(parts, beginnings: false) { return 2 * number + 1 }
            if fits(parts, beginnings: true) { return 2 * number + 2 }
        }
        return nil
    }

    private func fits(_ parts: [String], beginnings: Bool) -> Bool {
        wanted.allSatisfy { wanted in
            let pattern = beginnings ? wanted.beginning : wanted.whole
            return parts.contains { pattern.firstMatch(in: $0, range: NSRange($0.startIndex..., in: $0)) != nil }
        }
    }
}

extension PlainText {
    /// A regular expression for marked text: between two Han characters a blank counts, elsewhere it may be there or not.
    fileprivate static func pattern(_ marked: String) -> String {
        let characters = Array(marked)
        var pattern = ""
        for (index, character) in characters.enumerated() {
            let last = index > 0 ? characters[index - 1] : nil
            let next = index + 1 < characters.count ? characters[index + 1] : nil
            if character == " " {
                pattern += last.map(isHan) == true && next.map(isHan) == true ? " " : " ?"
                continue
            }
            // The border of a word at the beginning of the next unit.
            let isBorder =
                last == "|" && (character == "|" || isHan(character)) || last.map(isHan) == true && character == "|"
            if isBorder, pattern.last != "?" { pattern += " ?" }
            pattern += NSRegularExpression.escapedPattern(for: String(character))
        }
        return pattern
    }
}
