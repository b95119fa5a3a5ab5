internal import CCrypto

/// A fingerprint that is made as the bytes come.
///
/// libcrypto: EVP_DigestInit(3).
@safe package struct IncrementalDigest: ~Copyable {
    /// Valid from init to deinit.
    private let context: OpaquePointer

    /// Begins with no bytes.
    ///
    /// Traps when libcrypto lacks the algorithm or memory ends.
    package init(_ algorithm: DigestAlgorithm) {
        // "-fips": MD5 names thumbnails here and protects nothing, so that a machine in FIPS mode may have it too.
        let method = unsafe EVP_MD_fetch(nil, algorithm.name, "-fips")
        guard let method = unsafe method, let context = unsafe EVP_MD_CTX_new() else {
            preconditionFailure("libcrypto has no \(algorithm.name)")
        }
        let code = unsafe EVP_DigestInit_ex2(context, method, nil)
        unsafe EVP_MD_free(method)
        precondition(code == 1, "libcrypto can't begin \(algorithm.name)")
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
    }

    /// Adds the next bytes.
    package mutating func update(_ bytes: Span<UInt8>) {
        let code = unsafe bytes.withUnsafeBufferPointer { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        precondition(code == 1, "libcrypto can't go on with a digest")
    }

    /// The fingerprint of all bytes, in lower-case hexadecimal digits.
    package consuming func finish() -> String { finishedBytes().hexadecimal }

    /// The fingerprint of all bytes.
    package consuming func finishedBytes() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var byteCount: UInt32 = 0
        let code = unsafe EVP_DigestFinal_ex(context, &bytes, &byteCount)
        precondition(code == 1, "libcrypto can't end a digest")
        return Array(bytes.prefix(Int(byteCount)))
    }
}

// One owner, and changed by that owner alone: it may go from thread to thread. libcrypto keeps nothing by thread.
extension IncrementalDigest: @unchecked Sendable {}

extension Sequence<UInt8> {
    /// Two lower-case digits for each byte.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
