import HTTP
import Testing

@Suite("URLs")
struct URLReferenceTests {
    @Test(
        "References resolve as RFC 3986 says, section 5.4",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), (";x", "http://a/b/c/;x"),
            ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"),
            ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("https://h/x", "https://h/x"),
        ])
    func resolves(_ reference: String, _ expected: String) {
        #expect(URLReference.resolve(reference, against: "http://a/b/c/d;p?q") == expected)
    }

    @Test("Blanks and letters beyond ASCII are encoded, escapes are kept")
    func encodes() {
        let base = "https://example.org/cat/list.json"
        #expect(URLReference.resolve("My Book.epub", against: base) == "https://example.org/cat/My%20Book.epub")
        #expect(URLReference.resolve("My%20Book.epub", against: base) == "https://example.org/cat/My%20Book.epub")
        #expect(URLReference.resolve("战争.epub", against: base) == "https://example.org/cat/%E6%88%98%E4%BA%89.epub")
        #expect(URLReference.resolve("a\r\nb", against: base) == nil)
        #expect(URLReference.resolve("x", against: "not a base") == nil)
    }

    @Test("References resolve against files")
    func resolvesFiles() {
        #expect(
            URLReference.resolve("books/1.epub", against: "file:///srv/a%20b/list.json")
                == "file:///srv/a%20b/books/1.epub")
        #expect(URLReference.resolve("/x.epub", against: "file:///srv/list.json") == "file:///x.epub")
    }

    @Test("A redacted URL has no secret in it")
    func redacts() {
        #expect(URLReference.redacted("https://u:p@example.org:8080/a/b?key=k#f") == "https://example.org:8080/a/b")
        #expect(URLReference.redacted("nonsense with key=k") == "(not a URL)")
    }

    @Test("What messages call a URL has its port and none of its secrets")
    func places() {
        #expect(URLReference.place("http://127.0.0.1:8080/key/a?key=k") == "http://127.0.0.1:8080")
        #expect(URLReference.place("https://u:p@Example.org/a") == "https://example.org")
        #expect(URLReference.place("https://[::1]:8443/a") == "https://[::1]:8443")
        #expect(URLReference.place("file:///srv/a%20b.json") == "/srv/a b.json")
        #expect(URLReference.place("nonsense") == "(not a URL)")
    }

    @Test("Origins are equal whatever is written")
    func origins() {
        #expect(URLReference.origin("HTTPS://Example.ORG/a") == "https://example.org:443")
        #expect(URLReference.origin("https://example.org:443/b") == "https://example.org:443")
        #expect(URLReference.origin("http://example.org/") != URLReference.origin("https://example.org/"))
        #expect(URLReference.origin("file:///a") == "file://")
        #expect(URLReference.origin("a/b") == nil)
    }

    @Test(
        "Only this machine is loopback",
        arguments: [
            ("http://localhost/", true), ("http://127.0.0.1:80/", true), ("http://127.9.9.9/", true),
            ("http://[::1]:8/", true), ("http://books.localhost/", true), ("http://localhost.example.org/", false),
            ("http://127.0.0.1.example.org/", false), ("http://10.0.0.1/", false),
            ("http://x@127.0.0.1@evil.org/", false),
            ("http://notlocalhost/", false),
        ])
    func loopback(_ url: String, _ expected: Bool) {
        #expect(URLReference.isLoopback(url) == expected)
    }

    @Test("Paths go into file URLs and come back", arguments: ["/", "/a/b", "/a b", "/%41", "/ü/#?;.epub", "/战争"])
    func paths(_ path: String) throws {
        let url = try #require(URLReference.fileURL(path: path))
        #expect(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        #expect(URLReference.path(ofFileURL: url) == path)
    }

    @Test(
        "What is no path of this machine is none",
        arguments: ["file://other/x", "file:///a%00b", "file:///%zz", "http://a/b", "file:///%FF"])
    func noPaths(_ url: String) {
        #expect(URLReference.path(ofFileURL: url) == nil)
    }

    @Test("Credentials are taken out of a URL")
    func credentials() throws {
        let split = try #require(URLReference.splitCredentials("https://ann:p%40ss@example.org/opds?a=b"))
        #expect(split.url == "https://example.org/opds?a=b")
        #expect(split.user == "ann")
        #expect(split.password == "p@ss")
        #expect(URLReference.splitCredentials("https://example.org/") == nil)
        #expect(URLReference.splitCredentials("https://ann@example.org/")?.password == "")
    }
}
