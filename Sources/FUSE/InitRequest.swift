/// The first request of a mount, kept by the process that answered it so that workers can be given it again.
///
/// Kernel: `struct fuse_in_header` and `struct fuse_init_in`, 104 bytes since version 7.36 of the protocol.
package struct InitRequest: Sendable, Hashable {
    /// As the kernel wrote them.
    package let bytes: [UInt8]

    /// Fails for what isn't the INIT of a kernel that this package knows.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= 56, bytes.count <= 4096, Self.word(at: 0, of: bytes) == UInt32(bytes.count),
            Self.word(at: 4, of: bytes) == 26
        else { return nil }
        self.bytes = bytes
    }

    /// Takes back what ``hexadecimal`` gave; fails for anything else.
    package init?(hexadecimal: String) {
        let digits = hexadecimal.utf8.map { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            default: nil
            }
        }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        self.init(bytes)
    }

    /// For an argument or the environment of a worker.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Whether the kernel can be made to send again what a dead worker had read (6.9 or newer).
    ///
    /// Kernel: `FUSE_INIT_EXT`, then `FUSE_HAS_RESEND` in the second word of flags.
    package var supportsResend: Bool {
        guard bytes.count >= 60, Self.word(at: 52, of: bytes) & 1 << 30 != 0 else { return false }
        return Self.word(at: 56, of: bytes) & 1 << 7 != 0
    }

    /// Whether the kernel can read files by itself (6.9 or newer).
    ///
    /// Kernel: `FUSE_PASSTHROUGH` in the second word of flags.
    package var offersPassthrough: Bool {
        guard bytes.count >= 60, Self.word(at: 52, of: bytes) & 1 << 30 != 0 else { return false }
        return Self.word(at: 56, of: bytes) & 1 << 5 != 0
    }

    private static func word(at offset: Int, of bytes: [UInt8]) -> UInt32 {
        (0..<4).reversed().reduce(0) { $0 << 8 | UInt32(bytes[offset + $1]) }
    }
}
