/// A JSON value held whole in memory: for messages and small documents.
///
/// Write one with literals: `["books": [["id": 7, "title": .string(title)]], "total": 1]`.
package indirect enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)

    /// A number without a fraction and exponent that 64 bits hold.
    case integer(Int64)

    /// Any other number; what isn't finite is written as `null`.
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The text, if this is a string.
    package var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The number, if this is an integer, or a double that stands for one exactly.
    package var integerValue: Int64? {
        switch self {
        case .integer(let number): number
        case .double(let number): Int64(exactly: number)
        default: nil
        }
    }

    /// The truth value, if this is one.
    package var booleanValue: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// The elements, if this is an array.
    package var arrayValue: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members, if this is an object.
    package var objectValue: JSONObject? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The value of `key`, if this is an object that has it.
    package subscript(key: String) -> JSONValue? {
        objectValue?[key]
    }
}

extension JSONValue {
    /// The text as a JSON string, or `null`.
    package init(_ text: String?) {
        self = text.map { .string($0) } ?? .null
    }

    /// The number as JSON, or `null`.
    package init(_ number: (some BinaryInteger)?) {
        self =
            number.map { number in
                Int64(exactly: number).map { .integer($0) } ?? .double(Double(number))
            } ?? .null
    }

    /// The number as JSON, or `null`.
    package init(_ number: Double?) {
        self = number.map { .double($0) } ?? .null
    }

    /// The truth value as JSON, or `null`.
    package init(_ value: Bool?) {
        self = value.map { .boolean($0) } ?? .null
    }

    /// The texts as a JSON array of strings.
    package init(_ texts: [String]) {
        self = .array(texts.map { .string($0) })
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .double(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Keeps the order of the literal; of a key that stands twice the last value wins.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in elements { object[key] = value }
        self = .object(object)
    }
}
