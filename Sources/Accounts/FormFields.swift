internal import Log

/// The fields of a form as a request carries them: `application/x-www-form-urlencoded`, and the query of a URL.
struct FormFields {
    private var text = ""

    init(_ fields: [(String, String)]) {
        text = fields.map { name, value in "\(Self.encoded(name))=\(Self.encoded(value))" }.joined(separator: "&")
    }

    var bytes: [UInt8] { Array(text.utf8) }

    /// A URL with the fields in its query, behind those that it has.
    func appended(to url: String) -> String {
        "\(url)\(url.contains("?") ? "&" : "?")\(text)"
    }

    /// The fields of a query; of a name that stands twice the first one counts.
    ///
    /// - Parameter query: Without its question mark.
    /// - Returns: Values by name, both decoded.
    static func parse(_ query: String) -> [String: String] {
        var fields: [String: String] = [:]
        for part in query.split(separator: "&") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(sides[0]), let value = decoded(sides.count > 1 ? sides[1] : "") else { continue }
            if fields[name] == nil { fields[name] = value }
        }
        return fields
    }

    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Returns: `nil` for a broken escape.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
                else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
