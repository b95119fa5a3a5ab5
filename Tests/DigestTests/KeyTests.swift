import Digest
import Testing

@Suite("Keys and texts of digests")
struct KeyTests {
    @Test("The key of a certificate has the name that openssl gives it")
    func key() {
        let certificate = """
            -----BEGIN CERTIFICATE-----
            MIIBhDCCASmgAwIBAgIUKwFq3GsMyLn2BJ8rxeHJh85mi8EwCgYIKoZIzj0EAwIw
            FjEUMBIGA1UEAwwLa2V5LmV4YW1wbGUwIBcNMjYxMTMwMTg0MDE1WhgPMjEyNjEx
            MDYxODQwMTVaMBYxFDASBgNVBAMMC2tleS5leGFtcGxlMFkwEwYHKoZIzj0CAQYI
            KoZIzj0DAQcDQgAERd5bZghGyWCIIvnafVoeuL1YkJx/Uiaxa7+j2WMg1AO4N5iy
            YA9KlgmqXdOEWWZGE+j86EZ/kAnP0kZU2jWZbKNTMFEwHQYDVR0OBBYEFHcMDqDB
            lPYStdRPMLgi/jQR1T9kMB8GA1UdIwQYMBaAFHcMDqDBlPYStdRPMLgi/jQR1T9k
            MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAKr7q30PxcMgCmC6
            5Ij7gSTQTkeVVUUEnFvDMf2KDq4cAiEAt3LbHDvptO3VeVRONi1QGLhzAHNFB0Ou
            gcEfLasLeNk=
            -----END CERTIFICATE-----
            """
        #expect(CertificateKey.pin(ofPEM: certificate) == "sha256//f8vRqcsxBc7a/QzBCoL1rmGTixsH0mYV/qXxUojG7hM=")
        #expect(CertificateKey.pin(ofPEM: "  \n" + certificate + "\nmore") != nil)
        for other in [
            "", "nothing", String(certificate.prefix(200)),
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
        ] {
            #expect(CertificateKey.pin(ofPEM: other) == nil)
        }
    }

    @Test("Names of keys are told from other texts")
    func names() {
        #expect(CertificateKey.isPin("sha256//f8vRqcsxBc7a/QzBCoL1rmGTixsH0mYV/qXxUojG7hM="))
        for other in [
            "", "sha256//", "sha256//YQ==", "sha256//f8vRqcsxBc7a/QzBCoL1rmGTixsH0mYV/qXxUojG7hM=;x",
            "md5//f8vRqcsxBc7a/QzBCoL1rmGTixsH0mYV/qXxUojG7hM=", "sha256//f8vRqcsxBc7a/QzBCoL1rmGTixsH0mYV/qXxUojG7hM",
        ] {
            #expect(!CertificateKey.isPin(other), "\(other)")
        }
    }

    @Test(
        "Base64 is that of RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func base64(_ text: String, _ encoded: String) {
        #expect(text.utf8.base64 == encoded)
        #expect(text.utf8.base64URL == encoded.replacing("=", with: ""))
        #expect(([0xFB, 0xFF, 0xFE] as [UInt8]).base64 == "+//+")
        #expect(([0xFB, 0xFF, 0xFE] as [UInt8]).base64URL == "-__-")
    }

    @Test("A keyed digest is that of RFC 4231, case 2")
    func keyed() {
        let digest = KeyedDigest.bytes(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(digest.hexadecimal == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }
}
