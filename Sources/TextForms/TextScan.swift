/// What one pass over the bytes of a text can tell about its forms, without the tables of Unicode.
///
/// It may say no where yes were right, never the other way round. It relies on properties that Unicode promises never
/// to change for characters that are assigned (normalisation and case folding are stable).
///
/// Unicode: <https://www.unicode.org/policies/stability_policy.html>
struct TextScan {
    /// Whether the text is in NFC.
    private(set) var isSurelyNFC = true

    /// Whether ``SimpleFolding`` folds it rightly.
    private(set) var isFoldedSimply = true

    /// Whether there may be something to fold.
    private(set) var mayHaveCapitals = false

    init(_ text: String) {
        let bytes = text.utf8.span
        var index = 0
        while index < bytes.count, isSurelyNFC {
            let first = bytes[index]
            switch first {
            case ..<0x80: skipASCII(in: bytes, &index)
            case ..<0xE0:
                take(twoBytes: Self.scalar(first & 0x1F, bytes, index, 2))
                index += 2
            case ..<0xF0:
                take(threeBytes: Self.scalar(first & 0x0F, bytes, index, 3))
                index += 3
            default:
                isSurelyNFC = false
            }
        }
        if !isSurelyNFC { isFoldedSimply = false }
    }

    /// Moves `index` over bytes of ASCII, eight at a time.
    private mutating func skipASCII(in bytes: Span<UInt8>, _ index: inout Int) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        while index + 8 <= bytes.count {
            let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard word & (ones << 7) == 0 else { break }
            // The top bit of a byte: set by the first sum from `A` on, by the second from behind `Z` on.
            let isCapital = (word &+ ones &* (0x80 - 0x41)) & ~(word &+ ones &* (0x80 - 0x5B)) & (ones << 7)
            if isCapital != 0 { mayHaveCapitals = true }
            index += 8
        }
        while index < bytes.count, bytes[index] < 0x80 {
            if bytes[index] &- 0x41 < 26 { mayHaveCapitals = true }
            index += 1
        }
    }

    /// Takes Latin, IPA and Cyrillic; among them are marks that compose, and letters whose folding isn't simple.
    private mutating func take(twoBytes scalar: UInt32) {
        mayHaveCapitals = true
        switch scalar {
        case 0x80...0xB4, 0xB6...0xDE, 0xE0...0xFF, 0x400...0x45F: break
        case 0xB5, 0xDF, 0x100...0x2FF, 0x460...0x482, 0x48A...0x52F: isFoldedSimply = false
        default: isSurelyNFC = false
        }
    }

    /// Takes punctuation, kana, unified Han characters and Hangul syllables: nothing ever changes them.
    private mutating func take(threeBytes scalar: UInt32) {
        switch scalar {
        case 0x2010...0x2027, 0x2030...0x205E, 0x3001...0x3029, 0x3041...0x3096, 0x30A1...0x30FE, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xAC00...0xD7A3, 0xFF01...0xFF20:
            break
        default: isSurelyNFC = false
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
}
