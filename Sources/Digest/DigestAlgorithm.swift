/// A way to make a short fingerprint of bytes.
package enum DigestAlgorithm: Sendable {
    /// For content: nobody can make other bytes with the same fingerprint.
    case sha256

    /// For the names of thumbnails alone, which a standard fixes.
    case md5

    /// As libcrypto calls it.
    var name: String {
        switch self {
        case .sha256: "SHA256"
        case .md5: "MD5"
        }
    }

    /// The fingerprint of `bytes` in lower-case hexadecimal digits.
    package func hexadecimal(of bytes: Span<UInt8>) -> String {
        var digest = IncrementalDigest(self)
        digest.update(bytes)
        return digest.finish()
    }

    /// The fingerprint of `bytes`.
    package func bytes(of bytes: [UInt8]) -> [UInt8] {
        var digest = IncrementalDigest(self)
        digest.update(bytes.span)
        return digest.finishedBytes()
    }

    /// The fingerprint of `bytes` in lower-case hexadecimal digits.
    package func hexadecimal(of bytes: [UInt8]) -> String {
        hexadecimal(of: bytes.span)
    }

    /// The fingerprint of the UTF-8 of `text` in lower-case hexadecimal digits.
    package func hexadecimal(of text: String) -> String {
        hexadecimal(of: Array(text.utf8))
    }
}
