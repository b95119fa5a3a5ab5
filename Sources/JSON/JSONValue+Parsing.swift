extension JSONValue {
    /// Parses a whole document: for messages and small files.
    ///
    /// Of a key that stands twice in an object the last value wins.
    ///
    /// - Parameters:
    ///   - document: UTF-8.
    ///   - byteLimit: How long the document may be; a value in memory takes a small multiple of it.
    /// - Throws: ``JSONError``; ``JSONError/tooLong(offset:limit:)`` for a document over the limit.
    package init(parsing document: Span<UInt8>, byteLimit: Int = 1 << 20) throws(JSONError) {
        guard document.count <= byteLimit else { throw .tooLong(offset: 0, limit: byteLimit) }
        let builder = ValueBuilder()
        var reader = JSONReader(handler: builder, limits: JSONLimits(valueByteCount: byteLimit))
        try reader.feed(document)
        try reader.finish()
        self = builder.value
    }

    /// Parses a whole document, as ``init(parsing:byteLimit:)-(Span<UInt8>,_)`` does.
    ///
    /// - Throws: ``JSONError``.
    package init(parsing document: [UInt8], byteLimit: Int = 1 << 20) throws(JSONError) {
        try self.init(parsing: document.span, byteLimit: byteLimit)
    }

    /// Parses a whole document, as ``init(parsing:byteLimit:)-(Span<UInt8>,_)`` does.
    ///
    /// - Throws: ``JSONError``.
    package init(parsing document: String, byteLimit: Int = 1 << 20) throws(JSONError) {
        try self.init(parsing: Array(document.utf8).span, byteLimit: byteLimit)
    }
}

/// Puts a value together from the events of a document.
private final class ValueBuilder: JSONHandler {
    /// An array or object that has begun; a class, so that adding to it never copies it.
    private final class Opening {
        let isObject: Bool
        var elements: [JSONValue] = []

        /// The keys of an object in order; its values are `elements`.
        var keys: [String] = []

        /// Where each key stands, so that a key that stands twice is found without a search.
        var places: [String: Int] = [:]
        var nextKey = ""

        init(isObject: Bool) {
            self.isObject = isObject
        }

        func add(_ value: JSONValue) {
            if isObject, let place = places[nextKey] {
                elements[place] = value
                return
            }
            if isObject {
                places[nextKey] = keys.count
                keys.append(nextKey)
            }
            elements.append(value)
        }

        var value: JSONValue {
            isObject ? .object(JSONObject(uniqueKeys: keys, values: elements)) : .array(elements)
        }
    }

    private var openings: [Opening] = []

    /// The value of the document, once it has ended well.
    private(set) var value = JSONValue.null

    func startObject() { openings.append(Opening(isObject: true)) }
    func startArray() { openings.append(Opening(isObject: false)) }
    func endObject() { close() }
    func endArray() { close() }
    func key(_ bytes: Span<UInt8>) { openings.last?.nextKey = String(repairing: bytes) }
    func string(_ bytes: Span<UInt8>) { take(.string(String(repairing: bytes))) }
    func boolean(_ value: Bool) { take(.boolean(value)) }
    func null() { take(.null) }

    func number(_ text: Span<UInt8>) {
        let text = String(repairing: text)
        take(Int64(text).map { .integer($0) } ?? .double(Double(text) ?? .nan))
    }

    private func close() {
        if let opening = openings.popLast() { take(opening.value) }
    }

    private func take(_ value: JSONValue) {
        if let opening = openings.last { opening.add(value) } else { self.value = value }
    }
}
