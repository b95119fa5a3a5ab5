internal import CUtf8proc

/// What a search compares as a whole.
package enum SearchUnitKind: Sendable, Hashable {
    /// Letters, digits and their marks in a row.
    case word

    /// One character of a script that is written without spaces, or whose words are searched by their parts: Han, kana, Hangul, Thai
    /// and others of South-East Asia.
    case character

    /// One emoji or another sign that means something by itself.
    case symbol
}

/// A part of a text that a search compares as a whole.
package struct SearchUnit: Sendable {
    package let kind: SearchUnitKind

    /// In the form of ``Swift/String/foldedForSearch``.
    package let text: String

    /// Whether nothing stands between the one before and this one.
    package let isAttached: Bool

    package init(kind: SearchUnitKind, text: String, isAttached: Bool) {
        self.kind = kind
        self.text = text
        self.isAttached = isAttached
    }

    /// Whether two have the same text, byte for byte.
    package func hasText(of other: SearchUnit) -> Bool { text.utf8.elementsEqual(other.text.utf8) }
}

extension String {
    /// The units of this text, which is in the form of ``foldedForSearch`` already.
    package var searchUnits: [SearchUnit] {
        var units: [SearchUnit] = []
        let bytes = utf8.span
        SearchUnits.forEach(in: bytes) { kind, range, isAttached in
            let text = unsafe String(unsafeUninitializedCapacity: range.count) { buffer in
                for index in range { unsafe buffer[index - range.lowerBound] = bytes[index] }
                return range.count
            }
            units.append(SearchUnit(kind: kind, text: text, isAttached: isAttached))
        }
        return units
    }
}

/// Takes texts apart into what a search compares.
package enum SearchUnits {
    /// The longest word that counts whole, in bytes; of a longer one its beginning does.
    private static var maximumWordByteCount: Int { 96 }

    /// The version of Unicode by which scalars are told apart here and folded.
    package static var tableVersion: String { unsafe String(cString: utf8proc_unicode_version()) }

    /// Passes the units of a text on, in order.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8 in the form of ``Swift/String/foldedForSearch``.
    ///   - body: Gets the kind, the place of the text, and whether nothing stands between the one before and this one.
    package static func forEach(
        in bytes: Span<UInt8>, _ body: (SearchUnitKind, Range<Int>, _ isAttached: Bool) -> Void
    ) {
        var index = 0
        /// Where the unit before ended.
        var lastEnd = -1
        while index < bytes.count {
            let start = index
            guard let kind = kind(at: &index, in: bytes) else { continue }
            if kind == .word {
                var end = index
                var kept = index
                while end < bytes.count {
                    var next = end
                    guard self.kind(at: &next, in: bytes) == .word else { break }
                    if next - start <= maximumWordByteCount { kept = next }
                    end = next
                }
                body(.word, start..<kept, start == lastEnd)
                index = end
            } else {
                body(kind, start..<index, start == lastEnd)
            }
            lastEnd = index
        }
    }

    /// Whether a text has a word that begins so.
    ///
    /// - Parameters:
    ///   - beginning: UTF-8 of the beginning of a word.
    ///   - bytes: The text, in the form of ``Swift/String/foldedForSearch``.
    /// - Returns: Whether it has.
    package static func hasWord(beginningWith beginning: [UInt8], in bytes: Span<UInt8>) -> Bool {
        guard let first = beginning.first, bytes.count >= beginning.count else { return false }
        var hasWord = false
        // Most texts don't have it, which the bytes tell sooner than the words.
        for start in 0...bytes.count - beginning.count where bytes[start] == first {
            if beginning.indices.allSatisfy({ bytes[start + $0] == beginning[$0] }) {
                hasWord = true
                break
            }
        }
        guard hasWord else { return false }
        hasWord = false
        forEach(in: bytes) { kind, range, _ in
            guard !hasWord, kind == .word, range.count >= beginning.count else { return }
            hasWord = beginning.indices.allSatisfy { bytes[range.lowerBound + $0] == beginning[$0] }
        }
        return hasWord
    }

    /// What the scalar at `index` belongs to, `nil` for what stands between; moves `index` behind it.
    private static func kind(at index: inout Int, in bytes: Span<UInt8>) -> SearchUnitKind? {
        let first = bytes[index]
        if first < 0x80 {
            index += 1
            return first &- 0x61 < 26 || first &- 0x30 < 10 || first &- 0x41 < 26 ? .word : nil
        }
        let count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        var scalar = UInt32(first) & (count == 2 ? 0x1F : count == 3 ? 0x0F : 0x07)
        for next in index + 1..<min(index + count, bytes.count) { scalar = scalar << 6 | UInt32(bytes[next] & 0x3F) }
        index = min(index + count, bytes.count)
        switch scalar {
        case 0x4E00...0x9FFF, 0x3041...0x3096, 0x30A1...0x30FA, 0xAC00...0xD7A3: return .character
        default: return kind(of: scalar)
        }
    }

    private static func kind(of scalar: UInt32) -> SearchUnitKind? {
        switch utf8proc_category(utf8proc_int32_t(bitPattern: scalar)) {
        case UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LL, UTF8PROC_CATEGORY_LT, UTF8PROC_CATEGORY_LM,
            UTF8PROC_CATEGORY_LO, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MC, UTF8PROC_CATEGORY_ME,
            UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NL, UTF8PROC_CATEGORY_NO:
            return isOfScriptWithoutSpaces(scalar) ? .character : .word
        case UTF8PROC_CATEGORY_SO, UTF8PROC_CATEGORY_CO: return .symbol
        // The stroke of a fraction that was one character.
        case UTF8PROC_CATEGORY_SM: return scalar == 0x2044 ? nil : .symbol
        // Emoji and characters that are newer than the tables.
        case UTF8PROC_CATEGORY_CN:
            return isOfScriptWithoutSpaces(scalar) ? .character : scalar >= 0x10000 ? .symbol : nil
        default: return nil
        }
    }

    private static func isOfScriptWithoutSpaces(_ scalar: UInt32) -> Bool {
        switch scalar {
        // Thai, Lao; Myanmar; Hangul letters; Khmer; Tai Le and New Tai Lue; Tai Tham; Balinese.
        case 0xE00...0xEFF, 0x1000...0x109F, 0x1100...0x11FF, 0x1780...0x17FF, 0x1950...0x19DF, 0x1A20...0x1AAF,
            0x1B00...0x1B7F:
            true
        // Radicals; iteration marks and numerals; kana, Bopomofo, Hangul letters; Han; Yi.
        case 0x2E80...0x2FDF, 0x3005...0x3007, 0x3021...0x3029, 0x3038...0x318F, 0x31A0...0x31BF, 0x31F0...0x31FF,
            0x3400...0x4DBF, 0x4E00...0xA4CF:
            true
        // Hangul letters and syllables; Javanese and Myanmar; Cham and Tai Viet; compatible Han.
        case 0xA960...0xA97F, 0xA980...0xA9FF, 0xAA00...0xAADF, 0xAC00...0xD7FF, 0xF900...0xFAFF: true
        // Tangut, Khitan; kana; Nushu; the further planes of Han.
        case 0x17000...0x18DFF, 0x1AFF0...0x1B2FF, 0x20000...0x3FFFF: true
        default: false
        }
    }
}
