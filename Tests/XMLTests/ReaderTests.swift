import Testing
import XML

/// Writes down the events of a document.
private final class EventLog: XMLHandler {
    var events: [String] = []
    var stopsAt: String?

    func startElement(_ name: XMLName, _ attributes: [XMLAttribute]) throws(XMLStop) {
        if name.local == stopsAt { throw XMLStop(reason: "enough") }
        let values = attributes.map { " \($0.name.namespace)|\($0.name.local)=\($0.value)" }.joined()
        events.append("<\(name.namespace)|\(name.local)\(values)>")
    }

    func endElement(_ name: XMLName) { events.append("</\(name.local)>") }

    func text(_ bytes: Span<UInt8>) {
        let text = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        if let last = events.last, !last.hasPrefix("<"), !last.hasPrefix("&") {
            events[events.count - 1] = last + text
        } else {
            events.append(text)
        }
    }

    func reference(to name: String) { events.append("&\(name);") }
}

@Suite("XML documents")
struct ReaderTests {
    /// The events of a document that is fed in pieces of a size.
    private func read(
        _ bytes: [UInt8], pieces size: Int = .max, stopsAt: String? = nil, isUTF8: Bool = false,
        limits: XMLLimits = XMLLimits()
    ) throws(XMLError) -> [String] {
        let log = EventLog()
        log.stopsAt = stopsAt
        var reader = XMLReader(handler: log, isUTF8: isUTF8, limits: limits)
        var start = 0
        while start < bytes.count {
            let end = start + min(size, bytes.count - start)
            try reader.feed(Array(bytes[start..<end]).span)
            start = end
        }
        try reader.finish()
        return log.events
    }

    private func read(_ document: String, limits: XMLLimits = XMLLimits()) throws(XMLError) -> [String] {
        try read(Array(document.utf8), limits: limits)
    }

    @Test(
        "Elements, attributes and text come with their namespaces, whatever the borders of the pieces",
        arguments: [1, 2, 7, 1000])
    func events(_ size: Int) throws {
        let document =
            "<a:x xmlns:a='urn:a' xmlns='urn:b' k='v' a:k='w'>one <y>é&amp;<![CDATA[<&>]]></y><!-- no --></a:x>"
        let events = try read(Array(document.utf8), pieces: size)
        #expect(events == ["<urn:a|x |k=v urn:a|k=w>", "one ", "<urn:b|y>", "é&<&>", "</y>", "</x>"])
    }

    @Test("Encodings are told by the declaration or the mark of byte order")
    func encodings() throws {
        let latin = Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>".utf8) + [0xE9] + Array("</a>".utf8)
        #expect(try read(latin) == ["<|a>", "é", "</a>"])
        let wide = [UInt8]([0xFF, 0xFE]) + Array("<a>é</a>".utf16).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        #expect(try read(wide, pieces: 3) == ["<|a>", "é", "</a>"])
        #expect(throws: XMLError.self) { try read(Array("<a>".utf8) + [0xE9] + Array("</a>".utf8)) }
        let misdeclared = Array("<?xml version='1.0' encoding='KOI8-R'?><a>é</a>".utf8)
        #expect(throws: XMLError.self) { try read(misdeclared) }
        #expect(try read(misdeclared, isUTF8: true) == ["<|a>", "é", "</a>"])
    }

    @Test("An entity that isn't declared is handed on; one that a document declares is refused")
    func entities() throws {
        #expect(try read("<a>x&nbsp;y</a>") == ["<|a>", "x", "&nbsp;", "y", "</a>"])
        #expect(try read("<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/x.dtd'><a>&x;</a>") == ["<|a>", "&x;", "</a>"])
        for declaration in [
            "<!ENTITY x 'y'>", "<!ENTITY x SYSTEM 'file:///etc/passwd'>",
            "<!ENTITY % x SYSTEM 'http://127.0.0.1:1/'> %x;",
        ] {
            let error = #expect(throws: XMLError.self) { try read("<!DOCTYPE a [\(declaration)]><a>&x;</a>") }
            #expect(error?.reason == "the document declares entities of its own")
        }
    }

    @Test("Depth and length are bounded")
    func limits() throws {
        let limits = XMLLimits(depth: 3, byteCount: 100)
        #expect(try read("<a><b><c/></b></a>", limits: limits).count == 6)
        let deep = #expect(throws: XMLError.self) { try read("<a><b><c><d/></c></b></a>", limits: limits) }
        #expect(deep?.reason.contains("3 elements") == true)
        let long = #expect(throws: XMLError.self) {
            try read("<a>\(String(repeating: "x", count: 100))</a>", limits: limits)
        }
        #expect(long?.reason.contains("100 bytes") == true)
    }

    @Test("What isn't well-formed is an error with its place, and stays one")
    func malformed() throws {
        #expect(throws: XMLError.empty) { try read(" \n") }
        #expect(throws: XMLError.empty) { try read("") }
        for document in ["<a>", "<a></b>", "<a/><b/>", "x", "<a b=c/>", "<a>\u{1}</a>"] {
            #expect(throws: XMLError.self) { try read(document) }
        }
        var reader = XMLReader(handler: EventLog())
        let first = #expect(throws: XMLError.self) { try reader.feed(Array("<a></b>".utf8).span) }
        let second = #expect(throws: XMLError.self) { try reader.feed(Array("<c/>".utf8).span) }
        #expect(first == second)
        #expect(first?.offset == 5)
    }

    @Test("A handler that stops gets no more events")
    func stops() throws {
        let error = #expect(throws: XMLError.self) {
            try read(Array("<a><b/><c/></a>".utf8), stopsAt: "b")
        }
        guard case .stopped(let offset, "enough") = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((3...7).contains(offset))
    }
}
