internal import CCrypto

/// A fingerprint that only who has the key can make: HMAC with SHA-256, RFC 2104.
package enum KeyedDigest {
    /// - Parameters:
    ///   - message: What it is made of.
    ///   - key: Of any length.
    /// - Returns: 32 bytes.
    ///
    /// libcrypto: HMAC(3).
    package static func bytes(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        var byteCount: UInt32 = 0
        let result = unsafe HMAC(
            EVP_sha256(), key, Int32(clamping: key.count), message, message.count, &bytes, &byteCount)
        precondition(unsafe result != nil && byteCount == 32, "libcrypto can't make an HMAC")
        return bytes
    }
}
