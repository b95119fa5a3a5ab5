/// Writes one JSON document, keys in the order in which they are given.
///
/// Compact, or indented by two spaces a level for people. The document is made in memory; whoever writes a long one
/// hands the bytes on with ``take()`` every now and then. Calls that would not make a document (two keys after
/// another, an end without a beginning) are errors of the program and trap.
///
/// JSON: RFC 8259.
package struct JSONWriter: Sendable {
    private struct Opening {
        let isObject: Bool
        var isEmpty = true
    }

    private let isIndented: Bool
    private var bytes: [UInt8] = []
    private var openings: [Opening] = []
    private var isAfterKey = false

    package init(isIndented: Bool = false) {
        self.isIndented = isIndented
    }

    /// How many bytes ``take()`` would hand over now.
    package var byteCount: Int { bytes.count }

    /// Hands over what was written since the last call; the document goes on.
    package mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: false) }
        return bytes
    }

    // MARK: - Arrays and objects

    package mutating func startObject() { open(UInt8(ascii: "{"), isObject: true) }
    package mutating func endObject() { close(UInt8(ascii: "}"), isObject: true) }
    package mutating func startArray() { open(UInt8(ascii: "["), isObject: false) }
    package mutating func endArray() { close(UInt8(ascii: "]"), isObject: false) }

    /// Writes the key of the value that comes next.
    package mutating func key(_ key: String) {
        precondition(openings.last?.isObject == true && !isAfterKey, "a key outside of an object or after a key")
        separate()
        append(quoted: key)
        bytes.append(UInt8(ascii: ":"))
        if isIndented { bytes.append(UInt8(ascii: " ")) }
        isAfterKey = true
    }

    // MARK: - Values

    package mutating func null() { plain("null") }
    package mutating func boolean(_ value: Bool) { plain(value ? "true" : "false") }
    package mutating func integer(_ number: some BinaryInteger) { plain(String(number)) }

    /// Writes a number in the shortest way that reads back as the same; one that isn't finite as `null`.
    package mutating func double(_ number: Double) { plain(number.isFinite ? number.description : "null") }

    package mutating func string(_ text: String) {
        beginValue()
        append(quoted: text)
    }

    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .boolean(let value): boolean(value)
        case .integer(let number): integer(number)
        case .double(let number): double(number)
        case .string(let text): string(text)
        case .array(let elements):
            startArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let object):
            startObject()
            for member in object.members {
                key(member.key)
                self.value(member.value)
            }
            endObject()
        }
    }

    // MARK: - Parts

    private mutating func open(_ byte: UInt8, isObject: Bool) {
        beginValue()
        bytes.append(byte)
        openings.append(Opening(isObject: isObject))
    }

    private mutating func close(_ byte: UInt8, isObject: Bool) {
        guard let opening = openings.popLast(), opening.isObject == isObject, !isAfterKey else {
            preconditionFailure("an end without its beginning, or after a key")
        }
        if !opening.isEmpty { breakLine() }
        bytes.append(byte)
    }

    private mutating func plain(_ text: String) {
        beginValue()
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func beginValue() {
        if isAfterKey {
            isAfterKey = false
        } else if let opening = openings.last {
            precondition(!opening.isObject, "a value without a key")
            separate()
        }
    }

    /// Writes what stands between two elements, or before the first.
    private mutating func separate() {
        if let last = openings.indices.last {
            if !openings[last].isEmpty { bytes.append(UInt8(ascii: ",")) }
            openings[last].isEmpty = false
            breakLine()
        }
    }

    private mutating func breakLine() {
        guard isIndented else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * openings.count))
    }

    /// Writes a string between quotation marks, escaping what RFC 8259 (section 7) says must be.
    private mutating func append(quoted text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
            case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
            case UInt8(ascii: "\n"): bytes.append(contentsOf: #"\n"#.utf8)
            case UInt8(ascii: "\r"): bytes.append(contentsOf: #"\r"#.utf8)
            case UInt8(ascii: "\t"): bytes.append(contentsOf: #"\t"#.utf8)
            case ..<0x20:
                bytes.append(contentsOf: #"\u00"#.utf8)
                bytes.append(contentsOf: String(byte >> 4, radix: 16).utf8)
                bytes.append(contentsOf: String(byte & 0x0F, radix: 16).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

extension JSONValue {
    /// This value as a document, without a line feed at its end.
    package func encoded(isIndented: Bool = false) -> [UInt8] {
        var writer = JSONWriter(isIndented: isIndented)
        writer.value(self)
        return writer.take()
    }
}
