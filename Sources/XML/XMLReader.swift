internal import CExpat

/// Reads one XML document piece by piece and hands its events to an ``XMLHandler``.
///
/// Nothing but the document itself is ever read: external entities and document types aren't opened, and one that declares
/// entities of its own is refused, as only attacks do so. Depth and length are bounded. The pieces may end anywhere.
///
/// A reader has one owner and belongs to one thread at a time. Once a call has thrown, every further one throws the
/// same error.
///
/// expat: <https://libexpat.github.io/doc/api/latest/>
@safe package struct XMLReader: ~Copyable {
    /// Valid from `init` to `deinit`.
    private let parser: XML_Parser
    private let relay: XMLEventRelay
    private let limits: XMLLimits
    private var byteCount = 0
    private var isBlank = true
    private var failure: XMLError?

    /// Begins a document.
    ///
    /// - Parameters:
    ///   - handler: Called during ``feed(_:)`` and ``finish()`` only; kept alive by the reader.
    ///   - isUTF8: Whether it is UTF-8 whatever it says of itself; otherwise UTF-8, UTF-16, ISO 8859-1 and ASCII are read, as
    ///     its declaration or its mark of byte order says.
    ///   - limits: What the document may ask of its reader.
    package init(handler: any XMLHandler, isUTF8: Bool = false, limits: XMLLimits = XMLLimits()) {
        self.limits = limits
        relay = XMLEventRelay(handler, depthLimit: limits.depth)
        let separator = XML_Char(bitPattern: XMLEventRelay.separator)
        guard let parser = unsafe XML_ParserCreateNS(isUTF8 ? "UTF-8" : nil, separator) else {
            fatalError("no memory for an XML parser")
        }
        unsafe self.parser = parser
        unsafe relay.attach(to: parser)
    }

    deinit {
        unsafe XML_ParserFree(parser)
    }

    /// Takes the next piece of the document and delivers the events that end in it.
    ///
    /// - Throws: ``XMLError``.
    package mutating func feed(_ bytes: Span<UInt8>) throws(XMLError) {
        if let failure { throw failure }
        do throws(XMLError) {
            guard bytes.count <= limits.byteCount - byteCount else {
                throw .malformed(
                    offset: limits.byteCount, reason: "the document is longer than \(limits.byteCount) bytes")
            }
            if isBlank { isBlank = bytes.indices.allSatisfy { bytes[$0] <= 0x20 } }
            var start = 0
            while start < bytes.count {
                let end = min(start + Self.stepByteCount, bytes.count)
                try parse(bytes.extracting(start..<end), isLast: false)
                start = end
            }
        } catch {
            failure = error
            throw error
        }
    }

    /// Ends the document.
    ///
    /// - Throws: ``XMLError``.
    package mutating func finish() throws(XMLError) {
        if let failure { throw failure }
        do throws(XMLError) {
            if isBlank { throw .empty }
            try parse([UInt8]().span, isLast: true)
        } catch {
            failure = error
            throw error
        }
    }

    /// What expat is given at a time; it copies what it can't take yet.
    private static var stepByteCount: Int { 64 << 10 }

    private mutating func parse(_ bytes: Span<UInt8>, isLast: Bool) throws(XMLError) {
        let status = unsafe bytes.withUnsafeBytes { buffer in
            unsafe XML_Parse(
                parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(buffer.count), isLast ? 1 : 0)
        }
        byteCount += bytes.count
        guard status != XML_STATUS_OK else { return }
        let offset = max(0, Int(unsafe XML_GetCurrentByteIndex(parser)))
        if let reason = relay.stopReason { throw .stopped(offset: offset, reason: reason) }
        let words = unsafe XML_ErrorString(XML_GetErrorCode(parser)).map { unsafe String(cString: $0) }
        throw .malformed(offset: offset, reason: relay.limitReason ?? words ?? "not XML")
    }
}
