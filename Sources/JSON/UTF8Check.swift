/// Checks that bytes are UTF-8, piece by piece, whatever the borders of the pieces.
///
/// Unicode: table 3-7, well-formed UTF-8 byte sequences.
struct UTF8Check {
    /// How many continuation bytes the sequence under way still wants; 0 between sequences.
    private var wanted = 0

    /// What the next continuation byte may be.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// How many bytes of the sequence under way came with earlier pieces.
    private var carried = 0

    /// Takes the next piece.
    ///
    /// - Returns: Where the first ill-formed sequence begins, counted from the start of this piece: negative where it
    ///   began in an earlier piece. `nil` if there is none; a sequence may be under way.
    mutating func firstIllFormed(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var start = -carried
        var index = 0
        while index < bytes.count {
            if wanted == 0 {
                index = unsafe Self.endOfASCII(in: bytes, from: index)
                guard index < bytes.count else { break }
                start = index
                guard begin(with: unsafe bytes[index]) else { return start }
            } else {
                let byte = unsafe bytes[index]
                guard byte >= lowest, byte <= highest else { return start }
                wanted -= 1
                lowest = 0x80
                highest = 0xBF
            }
            index += 1
        }
        carried = wanted == 0 ? 0 : bytes.count - start
        return nil
    }

    /// Takes the first byte of a sequence of several.
    ///
    /// - Returns: Whether it can be one.
    private mutating func begin(with byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: wanted = 1
        case 0xE0...0xEF:
            wanted = 2
            if byte == 0xE0 { lowest = 0xA0 }
            if byte == 0xED { highest = 0x9F }
        case 0xF0...0xF4:
            wanted = 3
            if byte == 0xF0 { lowest = 0x90 }
            if byte == 0xF4 { highest = 0x8F }
        default: return false
        }
        return true
    }

    /// The index of the first byte at or after `start` that isn't ASCII; eight bytes at a time.
    private static func endOfASCII(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var index = start
        let raw = UnsafeRawBufferPointer(bytes)
        while index + 8 <= bytes.count,
            unsafe raw.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            index += 8
        }
        while index < bytes.count, unsafe bytes[index] < 0x80 { index += 1 }
        return index
    }
}
