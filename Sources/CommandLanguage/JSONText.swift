package import JSON

extension JSONValue {
    /// The document as text that a terminal can be given.
    ///
    /// RFC 8259 lets DEL, the C1 controls and marks that turn the direction of text stand in a string as they are; here they
    /// are escaped, which is the same document.
    package func terminalText(isIndented: Bool) -> String {
        var text = String.UnicodeScalarView()
        for scalar in String(decoding: encoded(isIndented: isIndented), as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF:
                let digits = String(scalar.value, radix: 16)
                text.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars)
            default: text.append(scalar)
            }
        }
        return String(text) + "\n"
    }
}
