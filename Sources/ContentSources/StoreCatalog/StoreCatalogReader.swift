internal import JSON
package import Shelf

/// Reads a catalog document of a store: JSON, an array of books or an object with `books` in it.
///
/// Records are handed on one at a time while the document comes in, so that memory stays flat whatever its size. A bad
/// record is handed on as skipped, and the rest goes on; a document that can't be parsed to its end is an error, after
/// which what was handed on must be thrown away.
///
/// The document is UTF-8, or in the encoding that is named. A reader has one owner and belongs to one thread at a time.
package struct StoreCatalogReader: ~Copyable {
    private let assembler: RecordAssembler
    private var json: JSONReader
    private var converter: EncodingConverter?
    private let encoding: String?

    /// The first bytes, until there are enough to be looked at for another encoding; `nil` from then on.
    private var firstBytes: [UInt8]? = []
    private var failure: SourceError?

    /// Begins a document.
    ///
    /// - Parameters:
    ///   - origin: Where it comes from.
    ///   - encoding: As iconv(3) calls it, for example `GB18030`; `nil` for UTF-8.
    /// - Throws: ``SourceError/unknownEncoding(_:)``.
    package init(origin: CatalogOrigin, encoding: String? = nil) throws(SourceError) {
        assembler = RecordAssembler(ContentLocator(origin))
        json = JSONReader(handler: assembler)
        self.encoding = encoding
        if let encoding, !["UTF-8", "UTF8"].contains(encoding.uppercased()) {
            converter = try EncodingConverter(from: encoding)
            firstBytes = nil
        } else {
            converter = nil
        }
    }

    /// Takes the next piece of the document and hands on the records that end in it.
    ///
    /// Records that follow a very long value may come with a later piece, or with ``finish(deliver:)``.
    ///
    /// - Throws: ``SourceError``, or what `deliver` throws. Every later call throws the same.
    package mutating func feed(
        _ bytes: Span<UInt8>, deliver: (SourceRecord) throws(SourceError) -> Void
    ) throws(SourceError) {
        try handing(to: deliver) { (reader: inout StoreCatalogReader) throws(SourceError) in
            guard let firstBytes = reader.firstBytes else { return try reader.take(bytes) }
            let missing = min(EncodingGuess.byteCount - firstBytes.count, bytes.count)
            for index in 0..<missing { reader.firstBytes?.append(bytes[index]) }
            guard firstBytes.count + missing == EncodingGuess.byteCount else { return }
            try reader.takeFirstBytes()
            try reader.take(bytes.extracting(droppingFirst: missing))
        }
    }

    /// Ends the document.
    ///
    /// - Throws: ``SourceError``, or what `deliver` throws.
    package mutating func finish(deliver: (SourceRecord) throws(SourceError) -> Void) throws(SourceError) {
        try handing(to: deliver) { (reader: inout StoreCatalogReader) throws(SourceError) in
            try reader.takeFirstBytes()
            if let result = reader.converter?.finish() { try reader.parse(result) }
            do throws(JSONError) {
                try reader.json.finish()
            } catch {
                throw reader.sourceError(error)
            }
        }
    }

    /// Reads a whole document.
    ///
    /// - Parameters:
    ///   - origin: Where it comes from.
    ///   - encoding: As iconv(3) calls it; `nil` for UTF-8.
    ///   - next: Gives its pieces, and `nil` at its end.
    ///   - deliver: Takes the records in document order.
    /// - Throws: ``SourceError``, or what `next` or `deliver` throws.
    package static func read(
        origin: CatalogOrigin, encoding: String? = nil, next: () throws(SourceError) -> [UInt8]?,
        deliver: (SourceRecord) throws(SourceError) -> Void
    ) throws(SourceError) {
        var reader = try StoreCatalogReader(origin: origin, encoding: encoding)
        while let piece = try next() { try reader.feed(piece.span, deliver: deliver) }
        try reader.finish(deliver: deliver)
    }

    // MARK: - Parts

    /// Runs `body` while records go to `deliver`, and keeps the error.
    private mutating func handing(
        to deliver: (SourceRecord) throws(SourceError) -> Void,
        _ body: (inout StoreCatalogReader) throws(SourceError) -> Void
    ) throws(SourceError) {
        if let failure { throw failure }
        do throws(SourceError) {
            try withoutActuallyEscaping(deliver) { (deliver) throws(SourceError) in
                assembler.deliver = deliver
                defer { assembler.deliver = nil }
                try body(&self)
            }
        } catch {
            failure = error
            throw error
        }
    }

    /// Looks at the first bytes, if that wasn't done yet, and takes them.
    private mutating func takeFirstBytes() throws(SourceError) {
        guard let bytes = firstBytes else { return }
        firstBytes = nil
        if let guess = EncodingGuess(bytes) { throw .notUTF8(offset: guess.offset, encoding: guess.encoding) }
        try take(bytes.span)
    }

    private mutating func take(_ bytes: Span<UInt8>) throws(SourceError) {
        guard converter != nil else { return try parse(bytes) }
        var start = 0
        while start < bytes.count {
            // In steps, as all that comes of one step is kept.
            let end = min(start + (64 << 10), bytes.count)
            if let result = converter?.convert(bytes.extracting(start..<end)) { try parse(result) }
            start = end
        }
    }

    private mutating func parse(_ converted: EncodingConverter.Result) throws(SourceError) {
        try parse(converted.utf8.span)
        if let fault = converted.fault { throw fault }
    }

    private mutating func parse(_ bytes: Span<UInt8>) throws(SourceError) {
        do throws(JSONError) {
            try json.feed(bytes)
        } catch {
            throw sourceError(error)
        }
    }

    private func sourceError(_ error: JSONError) -> SourceError {
        switch error {
        case .notUTF8(let offset): .notUTF8(offset: offset)
        case .stopped(let offset, let reason):
            assembler.failure ?? .malformed(offset: offset, reason: reason + remark)
        case .empty: .malformed(offset: 0, reason: error.reason)
        default: .malformed(offset: error.offset, reason: error.reason + remark)
        }
    }

    /// What a message about an offset has to add.
    private var remark: String {
        encoding == nil || converter == nil ? "" : " (counted after the conversion to UTF-8)"
    }
}
