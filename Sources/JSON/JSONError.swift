/// Why a JSON document can't be taken.
///
/// Offsets count bytes from the start of the document.
package enum JSONError: Error, Hashable, Sendable {
    /// There is nothing in it but white space.
    case empty

    /// It ends before its last value does.
    ///
    /// - Parameter offset: Its length.
    case incomplete(offset: Int)

    /// It isn't JSON.
    ///
    /// - Parameter offset: Of the last byte of the first token that can't stand where it stands.
    case malformed(offset: Int, reason: String)

    /// It isn't UTF-8.
    ///
    /// - Parameter offset: Of the first byte of the first ill-formed sequence.
    case notUTF8(offset: Int)

    /// Arrays and objects stand in each other more deeply than the limit.
    case tooDeep(offset: Int, limit: Int)

    /// One string or number, or the space between two values, is longer than the limit.
    ///
    /// - Parameter offset: Of the end of the value before.
    case tooLong(offset: Int, limit: Int)

    /// The handler wanted no more.
    case stopped(offset: Int, reason: String)

    /// Where, in bytes from the start of the document.
    package var offset: Int {
        switch self {
        case .empty: 0
        case .incomplete(let offset), .malformed(let offset, _), .notUTF8(let offset), .tooDeep(let offset, _),
            .tooLong(let offset, _), .stopped(let offset, _):
            offset
        }
    }

    /// What is wrong, in words that go before “at byte N”.
    package var reason: String {
        switch self {
        case .empty: "the document is empty"
        case .incomplete: "the document ends in the middle of a value"
        case .malformed(_, let reason), .stopped(_, let reason): reason
        case .notUTF8: "the document isn't UTF-8"
        case .tooDeep(_, let limit): "arrays and objects stand in each other more than \(limit) deep"
        case .tooLong(_, let limit): "a single value takes more than \(limit) bytes"
        }
    }
}
