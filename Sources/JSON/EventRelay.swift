internal import CYajl

/// Stands between the callbacks of yajl, which know only a pointer, and a handler.
///
/// Invariant: once `failure` is set it stays, and nothing more reaches the handler.
@safe final class EventRelay {
    private let handler: any JSONHandler
    private let limits: JSONLimits
    private var depth = 0

    /// yajl keeps a pointer to the table, so it lives as long as this.
    let callbacks: UnsafeMutablePointer<yajl_callbacks>

    /// The parser whose events these are; set right after it was made, and never used after it is freed.
    var parser: yajl_handle?

    /// How many bytes of the document went before the piece that is being parsed.
    var base = 0

    /// Where the last event ended.
    private(set) var lastEvent = 0
    private(set) var failure: JSONError?

    init(_ handler: any JSONHandler, limits: JSONLimits) {
        self.handler = handler
        self.limits = limits
        unsafe callbacks = .allocate(capacity: 1)
        unsafe callbacks.initialize(to: Self.table)
    }

    deinit {
        unsafe callbacks.deallocate()
    }

    /// Where the parser stands, in bytes from the start of the document.
    var offset: Int {
        base + (unsafe parser.map { unsafe yajl_get_bytes_consumed($0) } ?? 0)
    }

    /// Fails unless what was read since the last event is within the limit.
    func checkLength(upTo end: Int) {
        guard failure == nil, end - lastEvent > limits.valueByteCount else { return }
        failure = .tooLong(offset: lastEvent, limit: limits.valueByteCount)
    }

    /// Hands one event on.
    ///
    /// - Returns: What yajl takes for “go on” (1) or “cancel” (0).
    private func relay(_ event: (any JSONHandler) throws(JSONStop) -> Void) -> CInt {
        let end = offset
        checkLength(upTo: end)
        guard failure == nil else { return 0 }
        lastEvent = end
        do throws(JSONStop) {
            try event(handler)
            return 1
        } catch {
            failure = .stopped(offset: end, reason: error.reason)
            return 0
        }
    }

    private func enter(_ event: (any JSONHandler) throws(JSONStop) -> Void) -> CInt {
        depth += 1
        guard depth <= limits.depth else {
            failure = .tooDeep(offset: offset, limit: limits.depth)
            return 0
        }
        return relay(event)
    }

    private func leave(_ event: (any JSONHandler) throws(JSONStop) -> Void) -> CInt {
        depth -= 1
        return relay(event)
    }

    /// The relay that was given to yajl as its context, which is never `NULL`.
    // swift-format-ignore: NeverForceUnwrap
    private static func at(_ context: UnsafeMutableRawPointer?) -> EventRelay {
        unsafe Unmanaged<EventRelay>.fromOpaque(context!).takeUnretainedValue()
    }

    /// One C function for each event, each a single step.
    private static var table: yajl_callbacks {
        var table = yajl_callbacks()
        unsafe table.yajl_null = { context in
            unsafe EventRelay.at(context).relay { (handler) throws(JSONStop) in try handler.null() }
        }
        unsafe table.yajl_boolean = { context, value in
            unsafe EventRelay.at(context).relay { (handler) throws(JSONStop) in try handler.boolean(value != 0) }
        }
        unsafe table.yajl_number = { context, text, count in
            unsafe EventRelay.at(context).relay { (handler) throws(JSONStop) in
                let raw = unsafe UnsafeRawBufferPointer(start: text, count: count)
                try unsafe handler.number(raw.assumingMemoryBound(to: UInt8.self).span)
            }
        }
        unsafe table.yajl_string = { context, bytes, count in
            unsafe EventRelay.at(context).relay { (handler) throws(JSONStop) in
                try unsafe handler.string(UnsafeBufferPointer(start: bytes, count: count).span)
            }
        }
        unsafe table.yajl_map_key = { context, bytes, count in
            unsafe EventRelay.at(context).relay { (handler) throws(JSONStop) in
                try unsafe handler.key(UnsafeBufferPointer(start: bytes, count: count).span)
            }
        }
        unsafe table.yajl_start_map = { context in
            unsafe EventRelay.at(context).enter { (handler) throws(JSONStop) in try handler.startObject() }
        }
        unsafe table.yajl_end_map = { context in
            unsafe EventRelay.at(context).leave { (handler) throws(JSONStop) in try handler.endObject() }
        }
        unsafe table.yajl_start_array = { context in
            unsafe EventRelay.at(context).enter { (handler) throws(JSONStop) in try handler.startArray() }
        }
        unsafe table.yajl_end_array = { context in
            unsafe EventRelay.at(context).leave { (handler) throws(JSONStop) in try handler.endArray() }
        }
        return table
    }
}
