internal import CExpat

/// Stands between the callbacks of expat, which know only a pointer, and a handler.
///
/// Invariant: once a reason is set it stays, and nothing more reaches the handler.
@safe final class XMLEventRelay {
    /// Between namespace and name, as expat hands them over; no name or namespace has it.
    static var separator: UInt8 { 0x0A }

    private let handler: any XMLHandler
    private let depthLimit: Int
    private var depth = 0

    /// Of the reader that owns this; never used after it is freed, as only its own callbacks use it.
    private var parser: XML_Parser?

    /// Why the handler stopped.
    private(set) var stopReason: String?

    /// Why this stopped.
    private(set) var limitReason: String?

    init(_ handler: any XMLHandler, depthLimit: Int) {
        self.handler = handler
        self.depthLimit = depthLimit
    }

    /// Makes a parser call this; the parser must not outlive it.
    func attach(to parser: XML_Parser) {
        unsafe self.parser = parser
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        // An entity that isn't declared is then handed on instead of being an error: many feeds have “&nbsp;” in them.
        unsafe XML_UseForeignDTD(parser, XML_Bool(1))
        unsafe XML_SetElementHandler(
            parser,
            { unsafe XMLEventRelay.at($0).start($1, $2) },
            { unsafe XMLEventRelay.at($0).end($1) })
        unsafe XML_SetCharacterDataHandler(parser) { context, start, count in
            let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(count)).bindMemory(to: UInt8.self)
            unsafe XMLEventRelay.at(context).text(bytes.span)
        }
        unsafe XML_SetSkippedEntityHandler(parser) { context, name, isParameter in
            guard isParameter == 0, let name = unsafe name else { return }
            let text = unsafe String(cString: name)
            unsafe XMLEventRelay.at(context).reference(text)
        }
        unsafe XML_SetEntityDeclHandler(parser) { context, _, _, _, _, _, _, _, _ in
            unsafe XMLEventRelay.at(context).refuse("the document declares entities of its own")
        }
    }

    private func start(
        _ name: UnsafePointer<XML_Char>?, _ values: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) {
        depth += 1
        guard depth <= depthLimit else {
            return refuse("more than \(depthLimit) elements stand in each other")
        }
        var attributes: [XMLAttribute] = []
        if var next = unsafe values {
            while let name = unsafe next[0], let value = unsafe next[1] {
                attributes.append(unsafe XMLAttribute(name: Self.name(name), value: String(cString: value)))
                unsafe next += 2
            }
        }
        guard let name = unsafe name else { return }
        let elementName = unsafe Self.name(name)
        relay { (handler) throws(XMLStop) in try handler.startElement(elementName, attributes) }
    }

    private func end(_ name: UnsafePointer<XML_Char>?) {
        depth -= 1
        guard let name = unsafe name else { return }
        let elementName = unsafe Self.name(name)
        relay { (handler) throws(XMLStop) in try handler.endElement(elementName) }
    }

    private func text(_ bytes: Span<UInt8>) {
        guard stopReason == nil, limitReason == nil else { return }
        do throws(XMLStop) { try handler.text(bytes) } catch { stop(error) }
    }

    private func reference(_ name: String) {
        relay { (handler) throws(XMLStop) in try handler.reference(to: name) }
    }

    private func refuse(_ reason: String) {
        guard stopReason == nil, limitReason == nil else { return }
        limitReason = reason
        if let parser = unsafe parser { unsafe cexpat_stop(parser) }
    }

    private func stop(_ error: XMLStop) {
        stopReason = error.reason
        if let parser = unsafe parser { unsafe cexpat_stop(parser) }
    }

    private func relay(_ event: (any XMLHandler) throws(XMLStop) -> Void) {
        guard stopReason == nil, limitReason == nil else { return }
        do throws(XMLStop) { try event(handler) } catch { stop(error) }
    }

    private static func name(_ text: UnsafePointer<XML_Char>) -> XMLName {
        let whole = unsafe String(cString: text)
        guard let end = whole.utf8.lastIndex(of: separator) else { return XMLName("", whole) }
        return XMLName(String(whole[..<end]), String(whole[whole.utf8.index(after: end)...]))
    }

    /// The relay that was given to expat as its context, which is never `NULL`.
    // swift-format-ignore: NeverForceUnwrap
    private static func at(_ context: UnsafeMutableRawPointer?) -> XMLEventRelay {
        unsafe Unmanaged<XMLEventRelay>.fromOpaque(context!).takeUnretainedValue()
    }
}
