/// Folds capitals whose small letter has as many bytes: those of ASCII, Latin-1 and Cyrillic (U+0400 to U+042F).
///
/// Right for a text of which a ``TextScan`` says so; made for shelves of a million books, where the tables of Unicode
/// would take ten times as long.
enum SimpleFolding {
    static func fold(_ text: String) -> String {
        let bytes = text.utf8.span
        return unsafe String(unsafeUninitializedCapacity: bytes.count) { buffer in
            var last: UInt8 = 0
            for index in 0..<bytes.count {
                let byte = bytes[index]
                let small: UInt8
                switch (last, byte) {
                case (_, 0x41...0x5A): small = byte + 0x20
                // À to Þ without ×.
                case (0xC3, 0x80...0x9E) where byte != 0x97: small = byte + 0x20
                // Ѐ to Џ, whose small letters begin with the next first byte.
                case (0xD0, 0x80...0x8F):
                    unsafe buffer[index - 1] = 0xD1
                    small = byte + 0x10
                // А to П.
                case (0xD0, 0x90...0x9F): small = byte + 0x20
                // Р to Я, whose small letters begin with the next first byte.
                case (0xD0, 0xA0...0xAF):
                    unsafe buffer[index - 1] = 0xD1
                    small = byte - 0x20
                default: small = byte
                }
                unsafe buffer[index] = small
                last = byte
            }
            return bytes.count
        }
    }
}
