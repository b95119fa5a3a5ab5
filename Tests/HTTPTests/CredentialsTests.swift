import HTTP
import TestHarness
import Testing

@Suite("Credentials")
struct CredentialsTests {
    @Test("Basic is sent where the server asks for it")
    func basic() throws {
        let server = try FaultServer()
        server.serve(
            "/feed", .status(401, fields: [("WWW-Authenticate", "Basic realm=\"books\"")]),
            ServedContent(Array("feed".utf8)))
        let result = Bench().get(server.url("/feed")) { $0.credentials = .password(user: "ann", password: "pä:ss") }
            .final
        #expect(result.body == Array("feed".utf8))
        #expect(server.requests.last?.fields["authorization"]?.hasPrefix("Basic ") == true)
    }

    @Test("Digest wins where a server offers both")
    func digest() throws {
        let server = try FaultServer()
        let offer = "Digest realm=\"calibre\", nonce=\"abc\", algorithm=MD5, qop=\"auth\""
        server.serve(
            "/feed", .status(401, fields: [("WWW-Authenticate", "Basic realm=\"x\""), ("WWW-Authenticate", offer)]),
            ServedContent(Array("feed".utf8)))
        let result = Bench().get(server.url("/feed")) { $0.credentials = .password(user: "ann", password: "pw") }.final
        #expect(result.body == Array("feed".utf8))
        #expect(server.requests.last?.fields["authorization"]?.hasPrefix("Digest ") == true)
    }

    @Test("Printing credentials shows no secret")
    func printing() {
        let all: [Credentials] = [.password(user: "u", password: "s3cret"), .bearer(token: "s3cret")]
        for credentials in all {
            var dumped = ""
            dump(credentials, to: &dumped)
            #expect(!"\(credentials) \(String(reflecting: credentials)) \(dumped)".contains("s3cret"))
        }
        var request = TransferRequest(url: "https://example.org")
        request.credentials = .bearer(token: "s3cret")
        #expect(!"\(request)".contains("s3cret"))
    }
}
