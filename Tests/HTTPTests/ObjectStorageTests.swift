import HTTP
import TestHarness
import Testing

@Suite("Objects of S3")
struct ObjectStorageTests {
    private func bench(_ server: FaultServer) -> TransferLoop {
        TransferLoop(
            CurlLibrary(), retryPolicy: RetryPolicy(delays: []),
            objectStorage: ObjectStorage(endpoint: server.url("/"), region: "eu-1"))
    }

    private func get(_ url: String, from loop: TransferLoop, _ credentials: Credentials?) throws {
        var request = TransferRequest(url: url)
        request.credentials = credentials
        request.fields = [.init("Range", "bytes=1-")]
        try loop.perform(request) { _ in
            .goOn
        } onBody: { _ in
            .goOn
        }
    }

    @Test("An object is asked for by its bucket's path, signed, and the key stays here")
    func signed() throws {
        let server = try FaultServer()
        defer { server.stop() }
        server.serve("/shelf/books/a%20b.epub", ServedContent(Array("book".utf8)))
        let loop = bench(server)
        defer { loop.shutDown() }
        try get("s3://shelf/books/a%20b.epub", from: loop, .password(user: "key-1", password: "s3cret/+"))
        let fields = try #require(server.requests.first?.fields)
        let authorization = try #require(fields["authorization"])
        #expect(authorization.hasPrefix("AWS4-HMAC-SHA256 Credential=key-1/"))
        #expect(authorization.contains("/eu-1/s3/aws4_request"))
        #expect(fields["x-amz-content-sha256"]?.count == 64)
        #expect(fields["range"] == "bytes=1-")
        #expect(!fields.values.contains { $0.contains("s3cret") })
    }

    @Test("Without a key an object is asked for as anybody may")
    func unsigned() throws {
        let server = try FaultServer()
        defer { server.stop() }
        server.serve("/shelf/a.epub", ServedContent(Array("book".utf8)))
        let loop = bench(server)
        defer { loop.shutDown() }
        try get("s3://shelf/a.epub", from: loop, nil)
        #expect(server.requests.first?.path == "/shelf/a.epub")
        #expect(server.requests.first?.fields["authorization"] == nil)
    }

    @Test("Each bucket is an origin of its own, and what is relative to an object is one of its bucket")
    func origins() {
        #expect(URLReference.origin("s3://shelf/a/b.epub") == "s3://shelf")
        #expect(URLReference.resolve("../c d.epub", against: "s3://shelf/a/b.json") == "s3://shelf/c%20d.epub")
        #expect(URLReference.splitCredentials("s3://key:s%2Fx@shelf/a")?.password == "s/x")
        #expect(URLReference.splitCredentials("s3://key:s%2Fx@shelf/a")?.url == "s3://shelf/a")
        #expect(URLReference.isOnNetwork("s3://shelf/a") && !URLReference.isOnNetwork("file:///a"))
    }
}
