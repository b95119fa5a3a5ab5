internal import Digest
internal import Log

/// Bytes that nobody can guess.
enum Randomness {
    /// - Returns: So many bytes of the system's generator, which getrandom(2) is on Linux.
    static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Text of letters, digits, `-` and `_` from so many bytes.
    static func text(byteCount: Int) -> Secret { Secret(bytes(byteCount).base64URL) }
}
