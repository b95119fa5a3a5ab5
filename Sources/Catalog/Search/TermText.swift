internal import TextForms

/// The terms of a column, as text for a tokenizer that splits at blanks: FTS5's own, `ascii`, does, as a term holds nothing of
/// ASCII but small letters and digits.
///
/// Each unit has a term at its place: a word and a symbol its own text, a character itself and the one that follows it directly.
/// So a part of a Chinese title is a phrase of few short lists, while the list of one character may be that of half the shelf.
/// Behind them, each character once by itself, for whoever searches for one.
struct TermText {
    private var bytes: [UInt8] = []

    /// The characters of the column, as the bytes of each in one number, which sorts as they do.
    private var characters: [UInt32] = []

    /// Stands where no phrase may go across; no unit has such a term.
    private static var gap: [UInt8] { Array("0 ".utf8) }

    /// The terms so far; begins anew.
    mutating func take() -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        bytes.removeAll(keepingCapacity: true)
        return text
    }

    /// The column of a title: found by its words, and as a whole.
    mutating func add(title: String, key: String) {
        add(title, as: .title)
        addSingles(as: .title)
        bytes += Self.gap
        bytes += Self.wholeTitle(key).utf8
    }

    mutating func add(names: [String]) {
        for name in names {
            add(name, as: .authors)
            bytes += Self.gap
        }
        addSingles(as: .authors)
    }

    mutating func add(description: String) {
        add(description, as: .description)
        addSingles(as: .description)
    }

    /// Adds the terms of a text that is in the form for searching.
    private mutating func add(_ text: String, as column: SearchColumn) {
        let span = text.utf8.span
        /// The character whose follower isn't known yet.
        var last: Range<Int>?
        SearchUnits.forEach(in: span) { kind, range, isAttached in
            let isCharacter = kind == .character
            if let first = last {
                append(column.pair, span, first)
                if isCharacter, isAttached { append(span, range) }
                bytes.append(UInt8(ascii: " "))
                last = nil
            }
            if isCharacter {
                last = range
                var character: UInt32 = 0
                for index in range { character = character << 8 | UInt32(span[index]) }
                characters.append(character)
            } else {
                append(column.word, span, range)
                bytes.append(UInt8(ascii: " "))
            }
        }
        if let last {
            append(column.pair, span, last)
            bytes.append(UInt8(ascii: " "))
        }
    }

    private mutating func append(_ marker: UInt8, _ span: Span<UInt8>, _ range: Range<Int>) {
        bytes.append(marker)
        append(span, range)
    }

    private mutating func append(_ span: Span<UInt8>, _ range: Range<Int>) {
        for index in range { bytes.append(span[index]) }
    }

    private mutating func addSingles(as column: SearchColumn) {
        guard !characters.isEmpty else { return }
        bytes += Self.gap
        characters.sort()
        var last: UInt32 = 0
        for character in characters where character != last {
            last = character
            bytes.append(column.single)
            for shift in stride(from: 24, through: 0, by: -8) {
                let byte = UInt8(truncatingIfNeeded: character >> UInt32(shift))
                if byte != 0 { bytes.append(byte) }
            }
            bytes.append(UInt8(ascii: " "))
        }
        characters.removeAll(keepingCapacity: true)
    }

    /// Appends the term at the place of a unit.
    ///
    /// - Parameters:
    ///   - unit: The unit.
    ///   - next: The one behind it.
    ///   - column: Where they stand.
    ///   - bytes: What it is appended to.
    static func append(
        _ unit: SearchUnit, before next: SearchUnit?, as column: SearchColumn, to bytes: inout [UInt8]
    ) {
        guard unit.kind == .character else {
            bytes.append(column.word)
            bytes += unit.text.utf8
            return
        }
        bytes.append(column.pair)
        bytes += unit.text.utf8
        if let next, next.kind == .character, next.isAttached { bytes += next.text.utf8 }
    }

    /// The term of a title as a whole: a hash of it, of which no two titles of a shelf have the same.
    static func wholeTitle(_ key: String) -> String {
        var hash = TextHash(seed: 0x7174_6C65)
        hash.add(key)
        return "x" + String(hash.value >> 8, radix: 36)
    }
}
