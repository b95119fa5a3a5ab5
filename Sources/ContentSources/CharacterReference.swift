/// A character reference of HTML in a text: `&amp;`, `&#8217;`, `&#x2019;`.
struct CharacterReference {
    let character: Unicode.Scalar

    /// The index behind it.
    let end: Int

    /// Reads what begins with the `&` at `start`.
    ///
    /// - Returns: `nil` where it is no reference, or one to a name that isn't known: it stays as it is.
    init?(_ bytes: [UInt8], at start: Int) {
        let isNumeric = start + 1 < bytes.count && bytes[start + 1] == UInt8(ascii: "#")
        var index = start + (isNumeric ? 2 : 1)
        let isHexadecimal = isNumeric && index < bytes.count && bytes[index] | 0x20 == UInt8(ascii: "x")
        if isHexadecimal { index += 1 }
        let first = index
        while index < bytes.count, index - first < 32, Self.isPart(bytes[index], isNumeric, isHexadecimal) {
            index += 1
        }
        guard index > first else { return nil }
        let name = String(decoding: bytes[first..<index], as: UTF8.self)
        let isEnded = index < bytes.count && bytes[index] == UInt8(ascii: ";")
        if isNumeric {
            character = Self.character(of: UInt32(name, radix: isHexadecimal ? 16 : 10))
        } else {
            // Without its semicolon a name is more likely a word: AT&T.
            guard isEnded, let named = CharacterEntities.character(named: name[...]) else { return nil }
            character = named
        }
        end = isEnded ? index + 1 : index
    }

    private static func isPart(_ byte: UInt8, _ isNumeric: Bool, _ isHexadecimal: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): !isNumeric || isHexadecimal
        case UInt8(ascii: "g")...UInt8(ascii: "z"), UInt8(ascii: "G")...UInt8(ascii: "Z"): !isNumeric
        default: false
        }
    }

    /// The character of a number; U+FFFD where none has it.
    ///
    /// Numbers of control characters from 0x80 on mean those of Windows-1252, as every browser takes them.
    /// HTML, section 13.2.5.80.
    private static func character(of number: UInt32?) -> Unicode.Scalar {
        guard let number, number != 0 else { return "\u{FFFD}" }
        if (0x80...0x9F).contains(number) {
            return windows1252[Int(number - 0x80)]
        }
        return Unicode.Scalar(number) ?? "\u{FFFD}"
    }

    /// The characters 0x80 to 0x9F of Windows-1252; those that it leaves free stand for themselves.
    private static let windows1252: [Unicode.Scalar] = [
        "\u{20AC}", "\u{81}", "\u{201A}", "\u{192}", "\u{201E}", "\u{2026}", "\u{2020}", "\u{2021}", "\u{2C6}",
        "\u{2030}", "\u{160}", "\u{2039}", "\u{152}", "\u{8D}", "\u{17D}", "\u{8F}", "\u{90}", "\u{2018}", "\u{2019}",
        "\u{201C}", "\u{201D}", "\u{2022}", "\u{2013}", "\u{2014}", "\u{2DC}", "\u{2122}", "\u{161}", "\u{203A}",
        "\u{153}", "\u{9D}", "\u{17E}", "\u{178}",
    ]
}
