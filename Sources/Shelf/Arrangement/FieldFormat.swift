/// How the value of a field is written in a template: a part of Python's format specification, which Calibre uses.
///
///     02    a number of two digits        0>3   filled from the left with 0, to three characters
///     .1f   one digit behind the point     .1    the first character
package struct FieldFormat: Hashable, Sendable {
    /// On which side a text is filled up.
    enum Alignment: Character, Sendable {
        case left = "<"
        case right = ">"
        case centre = "^"
    }

    var fill: Character = " "
    var alignment: Alignment?

    /// In characters; of the whole part of a number where it is padded with zeros.
    var width = 0
    var isZeroPadded = false

    /// Digits behind the point, or characters that are kept; `nil` for all.
    var precision: Int?

    init(width: Int = 0, isZeroPadded: Bool = false) {
        self.width = width
        self.isZeroPadded = isZeroPadded
    }

    /// As much as a name has room for.
    private static var maximum: Int { 255 }

    /// - Parameter text: What stands behind the colon.
    ///
    /// It is `nil` if that is no such specification.
    init?(_ text: Substring) {
        var rest = text
        if let second = rest.dropFirst().first, let alignment = Alignment(rawValue: second), let first = rest.first {
            fill = first
            self.alignment = alignment
            rest = rest.dropFirst(2)
        } else if let first = rest.first, let alignment = Alignment(rawValue: first) {
            self.alignment = alignment
            rest = rest.dropFirst()
        }
        if rest.first == "0" {
            isZeroPadded = true
            rest = rest.dropFirst()
        }
        guard let width = Self.takeNumber(&rest) else { return nil }
        self.width = width
        if rest.first == "." {
            rest = rest.dropFirst()
            guard rest.first?.isWholeNumber == true, let precision = Self.takeNumber(&rest) else { return nil }
            self.precision = precision
        }
        if let kind = rest.first, "sdfg".contains(kind) { rest = rest.dropFirst() }
        guard rest.isEmpty else { return nil }
    }

    /// - Returns: 0 where no digit stands; `nil` for more than a name has room for.
    private static func takeNumber(_ rest: inout Substring) -> Int? {
        let digits = rest.prefix { $0.isASCII && $0.isWholeNumber }
        rest = rest.dropFirst(digits.count)
        guard !digits.isEmpty else { return 0 }
        guard let number = Int(digits), number <= maximum else { return nil }
        return number
    }

    /// Writes a text.
    func text(of value: String) -> String {
        var value = value
        if let precision { value = String(value.prefix(precision)) }
        let missing = width - value.count
        guard missing > 0 else { return value }
        let filler = isZeroPadded && alignment == nil ? "0" : fill
        switch alignment ?? (isZeroPadded ? .right : .left) {
        case .left: return value + String(repeating: filler, count: missing)
        case .right: return String(repeating: filler, count: missing) + value
        case .centre:
            return String(repeating: filler, count: missing / 2) + value
                + String(repeating: filler, count: missing - missing / 2)
        }
    }

    /// Writes a number: 3 is `3`, two and a half `2.5`.
    func text(of value: Double) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "" }
        let places = min(precision ?? 2, 6)
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = Int64((abs(value) * scale).rounded())
        let whole = String(scaled / Int64(scale))
        var fraction = ""
        if places > 0 {
            let digits = String(scaled % Int64(scale))
            fraction = String(repeating: "0", count: places - digits.count) + digits
            if precision == nil { while fraction.last == "0" { fraction.removeLast() } }
        }
        let sign = value < 0 && scaled > 0 ? "-" : ""
        let tail = fraction.isEmpty ? "" : "." + fraction
        if isZeroPadded, alignment == nil {
            return sign + String(repeating: "0", count: max(0, width - whole.count)) + whole + tail
        }
        var plain = self
        plain.precision = nil
        if plain.alignment == nil { plain.alignment = .right }
        return plain.text(of: sign + whole + tail)
    }
}
