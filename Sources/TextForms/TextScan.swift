/// What one pass over the bytes of a text can tell about its forms, without the tables of Unicode.
///
/// It may say no where yes were right, never the other way round. It relies on properties that Unicode promises never
/// to change for characters that are assigned (normalisation and case folding are stable).
///
/// Unicode: <https://www.unicode.org/policies/stability_policy.html>
struct TextScan {
    /// Whether the text is in NFC.
    private(set) var isSurelyNFC = true

    /// Whether folding it changes nothing but the capitals of ASCII.
    private(set) var isSurelyFoldedButForASCII = true

    /// Whether one of `A` to `Z` is in it.
    private(set) var hasASCIICapital = false

    init(_ text: String) {
        let bytes = text.utf8.span
        var index = 0
        while index < bytes.count {
            let first = bytes[index]
            switch first {
            case 0..<0x80:
                hasASCIICapital = hasASCIICapital || first &- 0x41 < 26
                index += 1
            case ..<0xE0:
                isSurelyFoldedButForASCII = false
                isSurelyNFC = isSurelyNFC && Self.isInert(twoBytes: Self.scalar(first & 0x1F, bytes, index, 2))
                index += 2
            case ..<0xF0:
                if !Self.isUncased(threeBytes: Self.scalar(first & 0x0F, bytes, index, 3)) {
                    isSurelyFoldedButForASCII = false
                    isSurelyNFC = false
                }
                index += 3
            default:
                isSurelyFoldedButForASCII = false
                isSurelyNFC = false
                index += 4
            }
            if !isSurelyNFC { return }
        }
    }

    /// The scalar whose first byte carries `bits` and whose `count` bytes begin at `index`.
    private static func scalar(_ bits: UInt8, _ bytes: Span<UInt8>, _ index: Int, _ count: Int) -> UInt32 {
        var scalar = UInt32(bits)
        for next in index + 1..<index + count {
            scalar = scalar << 6 | UInt32(bytes[next] & 0x3F)
        }
        return scalar
    }

    /// Whether NFC neither changes nor moves it and nothing before it composes with it: Latin, IPA, and Cyrillic
    /// without its combining marks.
    private static func isInert(twoBytes scalar: UInt32) -> Bool {
        switch scalar {
        case 0x80...0x2FF, 0x400...0x482, 0x48A...0x52F: true
        default: false
        }
    }

    /// Whether neither NFC nor case folding touches it: punctuation, kana, unified Han characters, Hangul syllables.
    private static func isUncased(threeBytes scalar: UInt32) -> Bool {
        switch scalar {
        case 0x2010...0x2027, 0x2030...0x205E, 0x3001...0x3029, 0x3041...0x3096, 0x30A1...0x30FE, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xAC00...0xD7A3:
            true
        case 0xFF01...0xFF20: true
        default: false
        }
    }
}
