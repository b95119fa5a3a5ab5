extension String {
    /// This text without white space, zero-width spaces and marks of byte order at its ends, and without any NUL.
    var trimmed: String {
        let text = utf8.contains(0) ? String(String.UnicodeScalarView(unicodeScalars.filter { $0 != "\0" })) : self
        guard let first = text.utf8.first, let last = text.utf8.last else { return text }
        // Printable ASCII at both ends: nothing to do, for nearly every title.
        if (0x21...0x7E).contains(first), (0x21...0x7E).contains(last) { return text }
        var rest = Substring(text).unicodeScalars
        while let scalar = rest.first, scalar.isBlank { rest.removeFirst() }
        while let scalar = rest.last, scalar.isBlank { rest.removeLast() }
        return rest.count == text.unicodeScalars.count ? text : String(rest)
    }
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
