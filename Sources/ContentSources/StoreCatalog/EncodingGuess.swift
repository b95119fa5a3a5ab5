/// What the first bytes of a document say about its encoding, where it isn't UTF-8.
///
/// Unicode: chapter 23.8, byte order mark. Without a mark: JSON begins with two characters of ASCII.
struct EncodingGuess {
    /// As iconv(3) calls it.
    let encoding: String

    /// Of the first byte that UTF-8 can't have, or that JSON can't have, there.
    let offset: Int

    /// How many bytes are looked at.
    static var byteCount: Int { 4 }

    /// - Returns: `nil` if the document may be UTF-8.
    init?(_ bytes: [UInt8]) {
        let isZero = bytes.map { $0 == 0 }
        switch (bytes, isZero) {
        case ([0xFF, 0xFE, 0, 0], _): (encoding, offset) = ("UTF-32", 0)
        case ([0, 0, 0xFE, 0xFF], _): (encoding, offset) = ("UTF-32", 2)
        case (_, _) where bytes.starts(with: [0xFF, 0xFE]): (encoding, offset) = ("UTF-16", 0)
        case (_, _) where bytes.starts(with: [0xFE, 0xFF]): (encoding, offset) = ("UTF-16", 0)
        case ([0x84, 0x31, 0x95, 0x33], _): (encoding, offset) = ("GB18030", 0)
        case (_, [true, true, true, false]): (encoding, offset) = ("UTF-32BE", 0)
        case (_, [false, true, true, true]): (encoding, offset) = ("UTF-32LE", 1)
        case (_, [true, false, true, false]): (encoding, offset) = ("UTF-16BE", 0)
        case (_, [false, true, false, true]): (encoding, offset) = ("UTF-16LE", 1)
        default: return nil
        }
    }
}
