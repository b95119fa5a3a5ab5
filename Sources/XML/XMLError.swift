/// Why a document can't be read to its end.
package enum XMLError: Error, Hashable, Sendable {
    /// It isn't well-formed, or asks for more than the limits allow.
    ///
    /// - Parameter offset: Where, in bytes of what was fed.
    case malformed(offset: Int, reason: String)

    /// The handler stopped it.
    case stopped(offset: Int, reason: String)

    /// There is nothing but white space in it.
    case empty

    /// In bytes of what was fed.
    package var offset: Int {
        switch self {
        case .malformed(let offset, _), .stopped(let offset, _): offset
        case .empty: 0
        }
    }

    /// What is wrong, in words that go before “at byte N”.
    package var reason: String {
        switch self {
        case .malformed(_, let reason), .stopped(_, let reason): reason
        case .empty: "there is nothing in the document"
        }
    }
}

/// What a document may ask of its reader.
package struct XMLLimits: Hashable, Sendable {
    /// How many elements may stand in each other.
    package var depth: Int

    /// How long the document may be, in bytes.
    package var byteCount: Int

    package init(depth: Int = 128, byteCount: Int = 64 << 20) {
        self.depth = depth
        self.byteCount = byteCount
    }
}
