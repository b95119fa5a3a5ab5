/// A hash of 64 bits of texts and numbers: the same in every run and on every machine.
///
/// It takes eight bytes a step, by one multiplication whose two halves are folded into each other, as wyhash does. It guards
/// against nothing: whoever wants to finds texts of one hash.
package struct TextHash: Sendable {
    /// Of all that was added, in that order.
    package private(set) var value: UInt64

    /// - Parameter seed: Hashes of different seeds are different.
    package init(seed: UInt64 = 0) {
        value = seed ^ 0x9E37_79B9_7F4A_7C15
    }

    /// Adds a number.
    package mutating func add(_ number: UInt64) {
        let product = (value ^ number).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        // With the number once more, as a factor of zero would swallow all that came before.
        value = product.high ^ product.low ^ (number &* 0xA076_1D64_78BD_642F | 1)
    }

    /// Adds a text, byte for byte, and its length, so that where one text ends and the next begins counts.
    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var place = 0
            while place + 8 <= bytes.count {
                let word = unsafe UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: place, as: UInt64.self)
                add(word.littleEndian)
                place += 8
            }
            var rest: UInt64 = 0
            while place < bytes.count {
                rest = rest << 8 | UInt64(unsafe bytes[place])
                place += 1
            }
            add(rest)
            add(UInt64(bytes.count))
        }
    }
}
