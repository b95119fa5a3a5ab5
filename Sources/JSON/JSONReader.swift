internal import CYajl

/// Reads one JSON document piece by piece and hands its events to a ``JSONHandler``.
///
/// Memory stays flat whatever the document: the longest single value, up to ``JSONLimits/valueByteCount``, is all that
/// is kept. The pieces may end anywhere, also within a character. A mark of byte order (U+FEFF) in front is passed over.
///
/// A reader has one owner and belongs to one thread at a time. Once a call has thrown, every further one throws the
/// same error.
///
/// yajl: <https://lloyd.github.io/yajl/>; JSON: RFC 8259.
@safe package struct JSONReader: ~Copyable {
    /// Valid from `init` to `deinit`.
    private let parser: yajl_handle
    private let relay: EventRelay
    private let limits: JSONLimits
    private var check = UTF8Check()

    /// How many bytes of the mark of byte order were seen; `nil` once the question is settled.
    private var markByteCount: Int? = 0

    /// Whether nothing but white space came so far.
    private var isBlank = true

    /// How many bytes the document had so far, without those that are held.
    private var byteCount = 0

    /// The end of what came so far, while it is kept from yajl: that begins a value anew with every piece, which would
    /// cost time by the square of its length.
    private var held: [UInt8] = []
    private var failure: JSONError?

    /// Begins a document.
    ///
    /// - Parameters:
    ///   - handler: Called during ``feed(_:)`` and ``finish()`` only; kept alive by the reader.
    ///   - limits: What the document may ask of memory.
    package init(handler: any JSONHandler, limits: JSONLimits = JSONLimits()) {
        self.limits = limits
        relay = EventRelay(handler, limits: limits)
        guard
            let parser = unsafe yajl_alloc(relay.callbacks, nil, Unmanaged.passUnretained(relay).toOpaque()),
            unsafe cyajl_skip_utf8_check(parser) != 0
        else { fatalError("no memory for a JSON parser") }
        unsafe self.parser = parser
        unsafe relay.parser = parser
    }

    deinit {
        unsafe relay.parser = nil
        unsafe yajl_free(parser)
    }

    /// Takes the next piece of the document and delivers the events that end in it.
    ///
    /// Those after a value that has gone on for several pieces may come with a later piece, or with ``finish()``.
    ///
    /// - Throws: ``JSONError``.
    package mutating func feed(_ bytes: Span<UInt8>) throws(JSONError) {
        if let failure { throw failure }
        do throws(JSONError) {
            try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
                var index = try unsafe skipMark(in: buffer)
                // In steps, so that a value over the limit is noticed long before a large piece has gone in.
                while index < buffer.count {
                    let end = min(index + Self.stepByteCount, buffer.count)
                    try unsafe take(UnsafeBufferPointer(rebasing: buffer[index..<end]))
                    index = end
                }
            }
        } catch {
            failure = error
            throw error
        }
    }

    /// Ends the document.
    ///
    /// - Throws: ``JSONError``: ``JSONError/empty`` or ``JSONError/incomplete(offset:)`` among others.
    package mutating func finish() throws(JSONError) {
        if let failure { throw failure }
        do throws(JSONError) {
            try parseHeld()
            relay.base = byteCount
            guard unsafe yajl_complete_parse(parser) != yajl_status_ok else { return }
            throw relay.failure ?? (isBlank ? .empty : .incomplete(offset: byteCount))
        } catch {
            failure = error
            throw error
        }
    }

    private static var stepByteCount: Int { 64 << 10 }

    /// Passes over a mark of byte order at the start of the document.
    ///
    /// - Returns: How many bytes of `bytes` belong to it.
    private mutating func skipMark(in bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) -> Int {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var index = 0
        while let seen = markByteCount, index < bytes.count {
            let byte = unsafe bytes[index]
            guard byte == mark[seen] else {
                // Nothing else that begins as the mark does can begin a value.
                if seen > 0 {
                    throw byte & 0xC0 == 0x80
                        ? .malformed(offset: 0, reason: Self.invalidCharacter) : .notUTF8(offset: 0)
                }
                markByteCount = nil
                break
            }
            index += 1
            byteCount += 1
            markByteCount = seen == 2 ? nil : seen + 1
            isBlank = markByteCount == nil
        }
        return index
    }

    /// Checks one step and parses it.
    private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        if isBlank {
            isBlank = unsafe bytes.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        }
        if let illFormed = unsafe check.firstIllFormed(in: bytes) {
            let offset = byteCount + held.count + illFormed
            // What stands before the ill-formed sequence may be wrong earlier.
            try parseHeld()
            try unsafe parse(UnsafeBufferPointer(rebasing: bytes[..<max(0, illFormed)]))
            throw .notUTF8(offset: offset)
        }
        let begun = byteCount - relay.lastEvent
        guard begun > Self.heldFrom else { return try unsafe parse(bytes) }
        unsafe held.append(contentsOf: bytes)
        if held.count >= begun || begun + held.count > limits.valueByteCount { try parseHeld() }
    }

    /// How long a value may have gone on before further pieces are held until they are as long again.
    private static var heldFrom: Int { 4 << 10 }

    private mutating func parseHeld() throws(JSONError) {
        guard !held.isEmpty else { return }
        let bytes = held
        held = []
        try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in try unsafe parse(bytes) }
    }

    /// Hands bytes to yajl.
    private mutating func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        relay.base = byteCount
        let status = unsafe yajl_parse(parser, bytes.baseAddress, bytes.count)
        if status != yajl_status_ok { throw relay.failure ?? malformed() }
        byteCount += bytes.count
        relay.checkLength(upTo: byteCount)
        if let failure = relay.failure { throw failure }
    }

    /// The error that yajl has just reported, in its own words.
    private func malformed() -> JSONError {
        guard let message = unsafe yajl_get_error(parser, 0, nil, 0) else {
            return .malformed(offset: relay.offset, reason: "not JSON")
        }
        defer { unsafe yajl_free_error(parser, message) }
        var words = unsafe Substring(String(cString: message))
        // yajl stands behind what it can't use, but at the byte that spoils a string, a number or a literal.
        var offset = relay.offset - 1
        if words.hasPrefix(Self.lexical), !words.hasPrefix(Self.lexical + Self.invalidCharacter) { offset += 1 }
        for kind in [Self.lexical, "parse error: "] where words.hasPrefix(kind) { words.removeFirst(kind.count) }
        while let last = words.last, last.isWhitespace || last == "." { words.removeLast() }
        return .malformed(offset: max(0, offset), reason: String(words))
    }

    private static var lexical: String { "lexical error: " }
    private static var invalidCharacter: String { "invalid char in json text" }
}
