import Log
import Synchronization
import Testing

@Suite("Redaction")
struct RedactionTests {
    private let password = "correct horse battery staple"

    @Test("Nothing that prints a secret shows it")
    func secret() {
        let secret = Secret(password)
        var dumped = ""
        dump(["secret": secret], to: &dumped)
        let shown = ["\(secret)", String(describing: secret), String(reflecting: secret), "\([secret])", dumped]
        #expect(shown.allSatisfy { !$0.contains("horse") })
        #expect("\(secret)" == "<redacted>")
        #expect(secret.exposed == password)
    }

    @Test("Secrets are equal if their texts are")
    func equality() {
        #expect(Secret("a") == Secret("a"))
        #expect(Secret("a") != Secret("b"))
        #expect(Secret("a") != Secret("ab"))
        #expect(Secret("").isEmpty)
    }

    @Test("A URL shows its origin, whatever its other parts hold")
    func origin() {
        let url = RedactedURL(
            "https://user:hunter2@Books.example:8443/api/opds/c0ffee00-1111-2222-3333-444455556666?key=s3cret#t0ken")
        #expect(url.origin == "https://Books.example:8443")
        #expect("\(url)" == "https://Books.example:8443")
        #expect(url.outline == "https://Books.example:8443/api/opds/…")
    }

    @Test(
        "The outline of a path leaves out every segment that could be a key",
        arguments: [
            ("https://a.example/opds/v1.2/series/42", "https://a.example/opds/v1.2/series/42"),
            ("https://a.example/pride-and-prejudice.epub", "https://a.example/pride-and-prejudice.epub"),
            ("https://a.example/Xk93kdLpQ2/books", "https://a.example/…/books"),
            ("https://a.example/abcdefghijklmnop", "https://a.example/…"),
            ("https://a.example/1234567890123456", "https://a.example/…"),
            ("https://a.example/eyJhbGciOi.eyJzdWIi.c2ln", "https://a.example/…"),
            ("https://u:p@ss@a.example/x", "https://a.example/x"),
            ("https://a.example\\@b.example/x", "https://a.example…/x"),
            ("file:///home/a/b.json", "file:///home/a/b.json"),
            ("hunter2", "<url>"),
            ("", "<url>"),
        ])
    func outline(_ url: String, _ shown: String) {
        #expect(RedactedURL(url).outline == shown)
    }

    @Test("The log shows the path of a URL at level debug alone, and of a secret nothing")
    func log() {
        let sink = LastLine()
        let log = Log(process: "worker", level: .debug, sinks: [sink])
        let url = RedactedURL("https://a.example/opds/shelf?apikey=hunter2")
        log.warning("sync failed", ["url": .redacted(url), "token": .redacted(Secret("hunter2"))])
        #expect(sink.line.hasSuffix(" url=https://a.example token=<redacted>\n"))
        log.debug("request sent", ["url": .redacted(url)])
        #expect(sink.line.hasSuffix(" url=https://a.example/opds/shelf\n"))
    }
}

/// Keeps the last line it got.
private final class LastLine: LogSink {
    private let state = Mutex("")
    var line: String { state.withLock { $0 } }

    func write(_ line: [UInt8]) {
        state.withLock { $0 = String(decoding: line, as: UTF8.self) }
    }
}
