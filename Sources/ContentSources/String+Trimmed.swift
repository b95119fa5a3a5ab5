internal import JSON

extension String {
    /// Makes text of bytes that should be UTF-8, as ``trimmed`` would; what is ill-formed becomes U+FFFD.
    init(trimming bytes: Span<UInt8>) {
        var start = 0
        var end = bytes.count
        while start < end, bytes[start] <= 0x20 { start += 1 }
        while start < end, bytes[end - 1] <= 0x20 { end -= 1 }
        self = String(repairing: bytes.extracting(start..<end)).trimmed
    }

    /// This text without white space, zero-width spaces and marks of byte order at its ends, and without any NUL.
    var trimmed: String {
        let bytes = utf8.span
        let text = bytes.contains(0) ? String(String.UnicodeScalarView(unicodeScalars.filter { $0 != "\0" })) : self
        // Printable ASCII at both ends: nothing to do, for nearly every title.
        if bytes.isEmpty || (bytes[0].isPrintable && bytes[bytes.count - 1].isPrintable) { return text }
        var rest = Substring(text).unicodeScalars
        while let scalar = rest.first, scalar.isBlank { rest.removeFirst() }
        while let scalar = rest.last, scalar.isBlank { rest.removeLast() }
        return String(rest)
    }
}

extension Span<UInt8> {
    /// Whether `byte` is in it.
    func contains(_ byte: UInt8) -> Bool {
        for index in indices where self[index] == byte { return true }
        return false
    }
}

extension UInt8 {
    /// Whether it is a printable character of ASCII other than the blank.
    fileprivate var isPrintable: Bool { 0x21 <= self && self <= 0x7E }
}

extension Unicode.Scalar {
    /// Whether it shows nothing at the end of a text.
    fileprivate var isBlank: Bool {
        switch value {
        case 0x21...0x7E, 0x3041...0xD7A3: false
        default: properties.isWhitespace || value == 0xFEFF || value == 0x200B || value < 0x20
        }
    }
}
