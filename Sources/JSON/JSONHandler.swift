/// Takes the events of a document from a ``JSONReader``, in the order in which they stand in it.
///
/// Bytes are borrowed for the call: copy what you keep. The bytes of a string are UTF-8 with escapes resolved, except
/// that half of a surrogate pair may stand in it as an ill-formed sequence or as `?`: make text of them with a
/// repairing conversion such as `String(decoding:as:)` or ``Swift/String/init(repairing:)``.
///
/// Every call may throw ``JSONStop``; the reader then fails with ``JSONError/stopped(offset:reason:)``.
package protocol JSONHandler: AnyObject {
    func startObject() throws(JSONStop)

    /// Takes the key of the value that comes next.
    func key(_ bytes: Span<UInt8>) throws(JSONStop)
    func endObject() throws(JSONStop)
    func startArray() throws(JSONStop)
    func endArray() throws(JSONStop)
    func string(_ bytes: Span<UInt8>) throws(JSONStop)

    /// Takes a number as it is written, for example `-12`, `0.50` or `1e3`.
    func number(_ text: Span<UInt8>) throws(JSONStop)
    func boolean(_ value: Bool) throws(JSONStop)
    func null() throws(JSONStop)
}

/// A handler's wish to read no further.
package struct JSONStop: Error, Hashable, Sendable {
    /// In words that go before “at byte N”.
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }
}

extension String {
    /// Makes text of bytes that should be UTF-8; what is ill-formed becomes U+FFFD.
    package init(repairing bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
