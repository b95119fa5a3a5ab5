import Digest
import Testing

@Suite("Digest")
struct DigestTests {
    @Test(
        "SHA-256 answers the published vectors",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func sha256Vectors(_ text: String, _ expected: String) {
        #expect(DigestAlgorithm.sha256.hexadecimal(of: text) == expected)
    }

    @Test("MD5 names thumbnails as the desktop's standard does")
    func md5Vector() {
        // The example of the Thumbnail Managing Standard.
        let uri = "file:///home/jens/photos/me.png"
        #expect(DigestAlgorithm.md5.hexadecimal(of: uri) == "c6ee772d9e49320e97ec29a7eb5b1697")
    }

    @Test("Bytes in pieces and bytes at once have the same digest", arguments: [1, 7, 64, 1_000])
    func incremental(_ pieceByteCount: Int) {
        let bytes = (0..<10_007).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var digest = IncrementalDigest(.sha256)
        var offset = 0
        while offset < bytes.count {
            let end = min(offset + pieceByteCount, bytes.count)
            digest.update(bytes[offset..<end].span)
            offset = end
        }
        #expect(digest.finish() == DigestAlgorithm.sha256.hexadecimal(of: bytes))
    }

    @Test("A digest that is given up leaves nothing behind")
    func abandoned() {
        for _ in 0..<10_000 {
            var digest = IncrementalDigest(.sha256)
            digest.update([1, 2, 3].span)
        }
        #expect(DigestAlgorithm.sha256.hexadecimal(of: [UInt8]()).utf8.count == 64)
    }
}
