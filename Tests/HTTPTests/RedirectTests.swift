import HTTP
import TestHarness
import Testing

@Suite("Redirects")
struct RedirectTests {
    private let body = Array("the book".utf8)

    @Test("Redirects are followed, relative ones too", arguments: [301, 302, 303, 307, 308])
    func follows(_ status: Int) throws {
        let server = try FaultServer()
        server.serve("/a/start", .redirect(to: "../b/end", status: status))
        server.serve("/b/end", ServedContent(body))
        let result = Bench().get(server.url("/a/start")).final
        expectSame(result.body, body)
        #expect(result.head?.effectiveURL == server.url("/b/end"))
    }

    @Test("A loop of redirects ends after ten")
    func loops() throws {
        let server = try FaultServer()
        server.serve("/a", .redirect(to: "/b"))
        server.serve("/b", .redirect(to: "/a"))
        guard case .refusedRedirect = Bench().get(server.url("/a")).failure else {
            Issue.record("another outcome")
            return
        }
        #expect(server.requests.count == 11)
    }

    @Test("Credentials and personal fields stay with their origin; what is asked for goes on")
    func crossOrigin() throws {
        let home = try FaultServer()
        let stranger = try FaultServer()
        home.serve("/start", .redirect(to: "/second"))
        home.serve("/second", .redirect(to: stranger.url("/book")))
        stranger.serve("/book", .redirect(to: home.url("/back")))
        home.serve("/back", ServedContent(body))
        let result = Bench().get(home.url("/start")) { request in
            request.credentials = .bearer(token: "s3cret")
            request.fields = [.init("Cookie", "a=b"), .init("X-Api-Key", "k3y"), .init("If-Match", "\"one\"")]
        }.final
        expectSame(result.body, body)
        let atHome = try #require(home.requests(for: "/second").first)
        #expect(atHome.fields["authorization"] == "Bearer s3cret")
        #expect(atHome.fields["x-api-key"] == "k3y")
        let atStranger = try #require(stranger.requests.first)
        #expect(atStranger.fields["authorization"] == nil)
        #expect(atStranger.fields["cookie"] == nil)
        #expect(atStranger.fields["x-api-key"] == nil)
        #expect(atStranger.fields["if-match"] == "\"one\"")
        #expect(home.requests(for: "/back").first?.fields["authorization"] == nil, "not on a detour either")
    }

    @Test("A redirect names nobody's password to use")
    func credentialsInRedirect() throws {
        let server = try FaultServer()
        server.serve("/start", .redirect(to: "http://user:pw@127.0.0.1:\(server.port)/end"))
        server.serve("/end", ServedContent(body))
        let result = Bench().get(server.url("/start")).final
        #expect(result.head?.effectiveURL == server.url("/end"))
        #expect(server.requests(for: "/end").first?.fields["authorization"] == nil)
    }

    @Test("https never becomes http, and nothing but http is followed")
    func downgrade() {
        for target in ["http://127.0.0.1/x", "http://example.org/x", "file:///etc/passwd", "ftp://example.org/x"] {
            #expect(throws: HTTPError.self, "\(target)") {
                try RedirectPolicy.target(
                    of: target, from: "https://example.org/a", followedCount: 0, allowsPlainHTTP: true)
            }
        }
        #expect(throws: Never.self) {
            let target = try RedirectPolicy.target(
                of: "//cdn.example.org/b?c=d#e", from: "https://example.org/a", followedCount: 0,
                allowsPlainHTTP: false)
            #expect(target == "https://cdn.example.org/b?c=d")
        }
    }

    @Test("A file is never reached by redirect", arguments: ["file:///etc/hostname", "gopher://127.0.0.1/"])
    func otherSchemes(_ target: String) throws {
        let server = try FaultServer()
        server.serve("/start", .redirect(to: target))
        guard case .refusedRedirect = Bench().get(server.url("/start")).failure else {
            Issue.record("another outcome")
            return
        }
    }

    @Test("Plain http stays on this machine unless it is allowed, also after a redirect")
    func plainHTTP() throws {
        let server = try FaultServer()
        // This machine too, but by an address that isn't known to be.
        let elsewhere = server.url("/book", host: "0.0.0.0")
        server.serve("/start", .redirect(to: elsewhere))
        server.serve("/book", ServedContent(body))
        let bench = Bench()
        guard case .plainHTTPRefused(let reason) = bench.get(elsewhere + "?key=s3cret").failure else {
            Issue.record("it was tried")
            return
        }
        #expect(!reason.contains("s3cret"))
        guard case .plainHTTPRefused = bench.get(server.url("/start")).failure else {
            Issue.record("it was tried after a redirect")
            return
        }
        #expect(server.requests(for: "/book").isEmpty)
        expectSame(bench.get(server.url("/start")) { $0.allowsPlainHTTP = true }.final.body, body)
    }

    @Test("Other schemes aren't transferred", arguments: ["ftp://127.0.0.1/x", "books/one.epub", ""])
    func badURL(_ url: String) {
        guard case .badURL = Bench().get(url).failure else {
            Issue.record("another outcome")
            return
        }
    }

    @Test("A header field with a line break is refused")
    func injection() throws {
        let server = try FaultServer()
        let receiver = Bench().get(server.url("/x")) { $0.fields = [.init("If-None-Match", "\"a\"\r\nX-Evil: 1")] }
        guard case .badURL = receiver.failure else {
            Issue.record("it was sent")
            return
        }
        #expect(server.requests.isEmpty)
    }
}
