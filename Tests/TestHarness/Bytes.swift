/// Bytes that begin as an EPUB does; no part of them is like another, nor like a part of those of another seed.
package func book(_ byteCount: Int, seed: Int = 1) -> [UInt8] {
    var words = [UInt64](repeating: 0, count: (byteCount + 7) / 8)
    var index = 0
    // The output function of SplitMix64, over the place and the seed; plain loops, as tests are built without optimisation.
    while index < words.count {
        var word = UInt64(truncatingIfNeeded: seed << 40 &+ index) &* 0x9E37_79B9_7F4A_7C15
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        words[index] = word ^ word >> 31
        index += 1
    }
    words[0] = words[0] & ~0xFFFF_FFFF | 0x0403_4B50
    return unsafe words.withUnsafeBytes { unsafe Array(UnsafeRawBufferPointer(rebasing: $0[..<byteCount])) }
}
