/// Takes the events of a document from an ``XMLReader``, in the order in which they stand in it.
///
/// Bytes are borrowed for the call and always UTF-8, whatever the document is written in. Comments, processing
/// instructions and the document type aren't handed on; the content of CDATA sections is text like any other.
package protocol XMLHandler: AnyObject {
    func startElement(_ name: XMLName, _ attributes: [XMLAttribute]) throws(XMLStop)

    func endElement(_ name: XMLName) throws(XMLStop)

    /// Takes text, of which one run may come in several pieces.
    func text(_ bytes: Span<UInt8>) throws(XMLStop)

    /// Takes a reference to an entity that the document doesn't declare, for example `nbsp`.
    func reference(to name: String) throws(XMLStop)
}

/// The name of an element or attribute.
package struct XMLName: Hashable, Sendable {
    /// The namespace that its prefix stands for; empty where there is none.
    package let namespace: String
    package let local: String

    package init(_ namespace: String, _ local: String) {
        self.namespace = namespace
        self.local = local
    }
}

/// An attribute of an element, with its value as XML normalises it.
package struct XMLAttribute: Hashable, Sendable {
    package let name: XMLName
    package let value: String
}

extension [XMLAttribute] {
    /// The value of the attribute without a namespace that is called so.
    package subscript(name: String) -> String? { self["", name] }

    /// The value of the attribute of that name in a namespace.
    package subscript(namespace: String, name: String) -> String? {
        first { $0.name.local == name && $0.name.namespace == namespace }?.value
    }
}

/// A handler's wish to read no further.
package struct XMLStop: Error, Hashable, Sendable {
    /// In words that go before “at byte N”.
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }
}
