import JSON

/// Writes down the events of a document, one short word each.
final class EventLog: JSONHandler {
    private(set) var events: [String] = []

    /// The event at which to stop reading.
    private let stopAt: String?

    init(stopAt: String? = nil) {
        self.stopAt = stopAt
    }

    func startObject() throws(JSONStop) { try note("{") }
    func endObject() throws(JSONStop) { try note("}") }
    func startArray() throws(JSONStop) { try note("[") }
    func endArray() throws(JSONStop) { try note("]") }
    func key(_ bytes: Span<UInt8>) throws(JSONStop) { try note("k:" + String(repairing: bytes)) }
    func string(_ bytes: Span<UInt8>) throws(JSONStop) { try note("s:" + String(repairing: bytes)) }
    func number(_ text: Span<UInt8>) throws(JSONStop) { try note("n:" + String(repairing: text)) }
    func boolean(_ value: Bool) throws(JSONStop) { try note("\(value)") }
    func null() throws(JSONStop) { try note("null") }

    private func note(_ event: String) throws(JSONStop) {
        events.append(event)
        if event == stopAt { throw JSONStop(reason: "enough") }
    }

    /// Reads `pieces` as one document.
    func read(_ pieces: [[UInt8]], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        var reader = JSONReader(handler: self, limits: limits)
        for piece in pieces { try reader.feed(piece.span) }
        try reader.finish()
    }

    static func events(of pieces: [[UInt8]], limits: JSONLimits = JSONLimits()) throws(JSONError) -> [String] {
        let log = EventLog()
        try log.read(pieces, limits: limits)
        return log.events
    }
}

/// Counts events and keeps nothing.
final class EventCount: JSONHandler {
    private(set) var objects = 0
    private(set) var strings = 0

    func startObject() { objects += 1 }
    func endObject() {}
    func startArray() {}
    func endArray() {}
    func key(_ bytes: Span<UInt8>) {}
    func string(_ bytes: Span<UInt8>) { strings += 1 }
    func number(_ text: Span<UInt8>) {}
    func boolean(_ value: Bool) {}
    func null() {}
}
