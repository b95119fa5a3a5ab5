internal import Shelf
internal import XML

/// An XML document in whatever encoding it states, fed piece by piece.
///
/// What expat doesn't read itself is converted by iconv(3). A document has one owner.
struct XMLDocument: ~Copyable {
    private let handler: any XMLHandler
    private let limits: XMLLimits
    private var reader: XMLReader?
    private var converter: EncodingConverter?

    /// The first bytes, until the encoding is known.
    private var firstBytes: [UInt8] = []

    /// In which the declaration stands.
    private static var declarationByteCount: Int { 1_024 }

    init(handler: any XMLHandler, limits: XMLLimits = XMLLimits()) {
        self.handler = handler
        self.limits = limits
        reader = nil
        converter = nil
    }

    /// - Throws: ``SourceError/malformed(offset:reason:)`` or ``SourceError/unknownEncoding(_:)``.
    mutating func feed(_ bytes: Span<UInt8>) throws(SourceError) {
        if reader != nil { return try take(bytes) }
        let count = min(bytes.count, Self.declarationByteCount - firstBytes.count)
        for index in 0..<count { firstBytes.append(bytes[index]) }
        guard firstBytes.count == Self.declarationByteCount else { return }
        try begin()
        try take(bytes.extracting(droppingFirst: count))
    }

    /// - Throws: ``SourceError``.
    mutating func finish() throws(SourceError) {
        if reader == nil { try begin() }
        if let result = converter?.finish() { try take(result) }
        do throws(XMLError) {
            try reader?.finish()
        } catch {
            throw SourceError(error)
        }
    }

    private mutating func begin() throws(SourceError) {
        // White space in front of the declaration is an error that many servers make.
        let start = firstBytes.firstIndex { $0 > 0x20 } ?? 0
        let first = start > 0 && firstBytes[start] == UInt8(ascii: "<") ? Array(firstBytes[start...]) : firstBytes
        firstBytes = []
        if let name = Self.encodingToConvert(first) { converter = try EncodingConverter(from: name) }
        reader = XMLReader(handler: handler, isUTF8: converter != nil, limits: limits)
        try take(first.span)
    }

    private mutating func take(_ bytes: Span<UInt8>) throws(SourceError) {
        guard converter != nil else { return try parse(bytes) }
        var start = 0
        while start < bytes.count {
            let end = min(start + (64 << 10), bytes.count)
            if let result = converter?.convert(bytes.extracting(start..<end)) { try take(result) }
            start = end
        }
    }

    private mutating func take(_ result: EncodingConverter.Result) throws(SourceError) {
        try parse(result.utf8.span)
        if let fault = result.fault { throw fault }
    }

    private mutating func parse(_ bytes: Span<UInt8>) throws(SourceError) {
        do throws(XMLError) {
            try reader?.feed(bytes)
        } catch {
            throw SourceError(error)
        }
    }

    /// The encoding of a document, as iconv(3) calls it, where expat doesn't read that.
    private static func encodingToConvert(_ bytes: [UInt8]) -> String? {
        if let guess = EncodingGuess(Array(bytes.prefix(EncodingGuess.byteCount))) {
            return guess.encoding.hasPrefix("UTF-16") ? nil : guess.encoding
        }
        guard bytes.starts(with: "<?xml".utf8), let end = bytes.firstIndex(of: UInt8(ascii: ">")) else { return nil }
        let declaration = String(decoding: bytes[..<end], as: UTF8.self)
        let words = declaration.split { $0 == "\"" || $0 == "'" }
        guard let key = words.firstIndex(where: { $0.trimmingEquals("encoding") }), key + 1 < words.count else {
            return nil
        }
        let name = String(words[key + 1]).uppercased()
        return ["UTF-8", "UTF-16", "ISO-8859-1", "US-ASCII"].contains(name) ? nil : name
    }
}

extension Substring {
    /// Whether it is `name`, an equals sign and white space around them.
    fileprivate func trimmingEquals(_ name: String) -> Bool {
        filter { !$0.isWhitespace && $0 != "=" }.utf8.elementsEqual(name.utf8)
    }
}

extension SourceError {
    /// What an error of a document means.
    init(_ error: XMLError) {
        self = .malformed(offset: error.offset, reason: error.reason)
    }
}
