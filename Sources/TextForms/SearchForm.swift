internal import CUtf8proc

extension String {
    /// The form in which texts are searched: without case, accents and width.
    ///
    /// It is the compatibility form of the full case folding, without what can't be seen and without the marks that people
    /// leave out: accents of Latin, Greek and Cyrillic, points of Hebrew, vowels of Arabic, colours of skin. Vowels of Indic scripts
    /// and Thai stay, which are letters there. A few letters that Unicode doesn't take apart become what is typed for them (`ø`
    /// is `o`, `æ` is `ae`). Not for showing.
    ///
    /// Costs one pass and no call of C where the text is of ASCII, unified Han, kana and Hangul syllables.
    ///
    /// Unicode: <https://www.unicode.org/reports/tr15/>, chapter 3.13. The corresponding C function is `utf8proc_map`.
    package var foldedForSearch: String {
        switch PlainText(utf8.span) {
        case .folded: return self
        case .capitals: return loweredASCII
        case .other: break
        }
        let decomposed = withoutTradeMarks.mapped(by: [
            UTF8PROC_STABLE, UTF8PROC_DECOMPOSE, UTF8PROC_COMPAT, UTF8PROC_CASEFOLD, UTF8PROC_IGNORE,
        ])
        var kept = ""
        kept.reserveCapacity(decomposed.utf8.count)
        var mayCompose = false
        for scalar in decomposed.unicodeScalars {
            if scalar.value < 0x80 {
                kept.unicodeScalars.append(scalar)
                continue
            }
            if SearchMarks.isLeftOut(scalar.value) { continue }
            // What has accents before it is without them now; other scripts have letters that belong together.
            if scalar.value >= 0x900 { mayCompose = true }
            if let typed = SearchMarks.replacement(of: scalar.value) {
                kept += typed
            } else {
                kept.unicodeScalars.append(scalar)
            }
        }
        return mayCompose ? kept.mapped(by: [UTF8PROC_STABLE, UTF8PROC_COMPOSE]) : kept
    }

    /// With blanks in the place of the signs of trade and service marks, which would become letters of the word before them.
    private var withoutTradeMarks: String {
        guard unicodeScalars.contains(where: { $0 == "\u{2122}" || $0 == "\u{2120}" }) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars { text.append(scalar == "\u{2122}" || scalar == "\u{2120}" ? " " : scalar) }
        return String(text)
    }

    private var loweredASCII: String {
        let bytes = utf8.span
        return unsafe String(unsafeUninitializedCapacity: bytes.count) { buffer in
            for index in bytes.indices {
                let byte = bytes[index]
                unsafe buffer[index] = byte &- 0x41 < 26 ? byte | 0x20 : byte
            }
            return bytes.count
        }
    }
}

/// What one pass over a text tells about its form for searching.
private enum PlainText {
    /// It is that form.
    case folded

    /// Only capitals of ASCII differ from it.
    case capitals

    /// The tables of Unicode have to be asked.
    case other

    init(_ bytes: Span<UInt8>) {
        var hasCapitals = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x80 {
                if byte &- 0x41 < 26 { hasCapitals = true }
                index += 1
                continue
            }
            guard byte & 0xF0 == 0xE0 else {
                self = .other
                return
            }
            let scalar =
                UInt32(byte & 0x0F) << 12 | UInt32(bytes[index + 1] & 0x3F) << 6 | UInt32(bytes[index + 2] & 0x3F)
            switch scalar {
            // Han, kana without their marks, Hangul syllables, dashes and quotation marks, punctuation in full width.
            case 0x4E00...0x9FFF, 0x3400...0x4DBF, 0x3041...0x3096, 0x30A1...0x30FC, 0xAC00...0xD7A3,
                0x2010, 0x2012...0x2016, 0x2018...0x2022, 0x3000...0x301F, 0xFF01, 0xFF08, 0xFF09, 0xFF0C, 0xFF1A,
                0xFF1B, 0xFF1F:
                index += 3
            default:
                self = .other
                return
            }
        }
        self = hasCapitals ? .capitals : .folded
    }
}

/// The marks and letters in which what people type differs from what is written.
private enum SearchMarks {
    /// Whether a mark is left out where texts are searched.
    static func isLeftOut(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x300...0x36F, 0x483...0x489, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: true
        // Hebrew points.
        case 0x591...0x5BD, 0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5, 0x5C7: true
        // Arabic vowels, and what stretches a word.
        case 0x610...0x61A, 0x640, 0x64B...0x65F, 0x670, 0x6D6...0x6DC, 0x6DF...0x6E4, 0x6E7, 0x6E8, 0x6EA...0x6ED,
            0x8D3...0x8FF:
            true
        // Colours of skin.
        case 0x1F3FB...0x1F3FF: true
        default: false
        }
    }

    /// What is typed for a letter that Unicode doesn't take apart; `nil` for every other.
    static func replacement(of scalar: UInt32) -> String? {
        switch scalar {
        case 0xE6: "ae"
        case 0x153: "oe"
        case 0xF0, 0x111: "d"
        case 0xF8: "o"
        case 0xFE: "th"
        case 0x127: "h"
        case 0x131: "i"
        case 0x142: "l"
        case 0x167: "t"
        // Letters of Arabic and Persian that are typed for each other.
        case 0x629: "\u{647}"
        case 0x649, 0x6CC: "\u{64A}"
        case 0x6A9: "\u{643}"
        default: nil
        }
    }
}
