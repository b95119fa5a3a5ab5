internal import CCrypto

/// The public keys in certificates.
package enum CertificateKey {
    /// How a key is named: the SHA-256 of its SubjectPublicKeyInfo, as `sha256//BASE64`.
    ///
    /// - Parameter pem: A certificate in PEM.
    /// - Returns: `nil` if it isn't one.
    ///
    /// libcurl: CURLOPT_PINNEDPUBLICKEY(3); libcrypto: PEM_read_bio_X509(3), i2d_X509_PUBKEY(3).
    package static func pin(ofPEM pem: String) -> String? {
        let bytes = Array(pem.utf8)
        let read = unsafe bytes.withUnsafeBytes { bytes -> OpaquePointer? in
            // It doesn't copy what it reads from.
            guard let memory = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
                return nil
            }
            defer { unsafe BIO_free(memory) }
            return unsafe PEM_read_bio_X509(memory, nil, nil, nil)
        }
        guard let certificate = unsafe read else { return nil }
        defer { unsafe X509_free(certificate) }
        guard let key = unsafe X509_get_X509_PUBKEY(certificate) else { return nil }
        let byteCount = unsafe i2d_X509_PUBKEY(key, nil)
        guard byteCount > 0 else { return nil }
        var encoded = [UInt8](repeating: 0, count: Int(byteCount))
        let written = unsafe encoded.withUnsafeMutableBufferPointer { buffer in
            var start = buffer.baseAddress
            return unsafe i2d_X509_PUBKEY(key, &start)
        }
        guard written == byteCount else { return nil }
        return "sha256//" + DigestAlgorithm.sha256.bytes(of: encoded).base64
    }

    /// Whether a text has the form of a name that ``pin(ofPEM:)`` gives.
    package static func isPin(_ text: String) -> Bool {
        guard text.hasPrefix("sha256//"), text.hasSuffix("=") else { return false }
        let name = text.utf8.dropFirst(8).dropLast()
        return name.count == 43
            && name.allSatisfy { byte in
                (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
                    || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || byte == UInt8(ascii: "+")
                    || byte == UInt8(ascii: "/")
            }
    }
}
