import Accounts
import Foundation
import HTTP
import Log
import TestHarness
import Testing
import Threads

@Suite("Logins")
struct LoginTests {
    private func exchange(_ bench: AccountBench) -> SmallExchange {
        SmallExchange(bench.loop, for: "shop", allowsPlainHTTP: false)
    }

    private func client(_ bench: AccountBench) -> TokenClient {
        TokenClient(
            TokenServer(tokenEndpoint: bench.server.url("/token"), clientID: "bookshelf", scope: "books"),
            exchange(bench), now: { 1_000 })
    }

    private let token = "{\"access_token\":\"a\",\"token_type\":\"bearer\",\"expires_in\":60}"

    // MARK: - Ways

    private func ways(_ bench: AccountBench) throws -> LoginWays {
        try LoginWays(of: bench.server.url("/catalog"), by: exchange(bench), allowsPlainHTTP: false)
    }

    @Test("A store says where it gives tokens, by addresses that may be relative")
    func store() throws {
        let bench = try AccountBench()
        bench.server.serve(
            "/.well-known/bookshelf-store",
            bench.json(
                """
                {"version": 1, "name": "Lamp", "devices": "/v1/devices", "permissions": "v1/permissions", "oauth": {"client_id": "c", "scope": "s",
                "issuer": "https://lamp.example", "token_endpoint": "/token", "device_authorization_endpoint": "/device", "revocation_endpoint": "https://id.example/revoke"}}
                """))
        let ways = try ways(bench)
        #expect(ways.name == "Lamp")
        #expect(ways.oauth?.server.tokenEndpoint == bench.server.url("/token"))
        #expect(ways.oauth?.server.revocationEndpoint == "https://id.example/revoke")
        #expect(ways.oauth?.deviceEndpoint == bench.server.url("/device"))
        #expect(ways.oauth?.authorizationEndpoint == nil)
        #expect(ways.oauth?.issuer == "https://lamp.example")
        #expect(ways.store.devices == bench.server.url("/v1/devices"))
        #expect(ways.store.permissions == bench.server.url("/.well-known/v1/permissions"))
        #expect(!ways.takesPassword)
        #expect(bench.server.requests.allSatisfy { $0.fields["authorization"] == nil })
    }

    @Test(
        "A store names nobody else for what gets the account's token, and no place where others listen",
        arguments: [
            "{\"version\":1,\"devices\":\"https://elsewhere.example/devices\"}",
            "{\"version\":1,\"permissions\":\"http://127.0.0.1:1/permissions\"}",
            "{\"version\":1,\"oauth\":{\"token_endpoint\":\"http://id.example/token\",\"device_authorization_endpoint\":\"/d\"}}",
            "{\"version\":1,\"oauth\":{\"token_endpoint\":\"file:///etc/passwd\",\"device_authorization_endpoint\":\"/d\"}}",
        ])
    func places(_ document: String) throws {
        let bench = try AccountBench()
        bench.server.serve("/.well-known/bookshelf-store", bench.json(document))
        #expect(throws: AccountError.self) { try ways(bench) }
    }

    @Test("OPDS servers say it in an authentication document, others by what they ask for")
    func otherWays() throws {
        let bench = try AccountBench()
        var document = bench.json(
            """
            {"title": "Library", "authentication": [{"type": "http://opds-spec.org/auth/oauth/password", "links": [
            {"rel": "authenticate", "href": "/token"}, {"rel": "refresh", "href": "/refresh"}]},
            {"type": "http://opds-spec.org/auth/oauth/implicit", "links": [{"rel": "authenticate", "href": "https://id.example/page"}]}]}
            """, status: 401)
        document.mediaType = "application/opds-authentication+json"
        bench.server.serve("/catalog", document)
        let first = try ways(bench)
        #expect(first.name == "Library")
        #expect(first.passwordServer?.tokenEndpoint == bench.server.url("/token"))
        #expect(first.passwordServer?.refreshEndpoint == bench.server.url("/refresh"))
        #expect(first.implicitPage == "https://id.example/page")
        #expect(!first.takesPassword)
        bench.server.serve("/catalog", .status(401, fields: [("WWW-Authenticate", "Digest realm=\"x\", nonce=\"y\"")]))
        #expect(try ways(bench).takesPassword)
        bench.server.serve("/catalog", ServedContent(Array("[]".utf8)))
        #expect(try ways(bench).takesPassword, "the books may need one")
        bench.server.serve("/catalog", .status(401, fields: [("WWW-Authenticate", "Negotiate")]))
        #expect(try !ways(bench).takesPassword)
    }

    // MARK: - By a code

    @Test("A login by a code goes on asking as the server wants it, until it has a token")
    func deviceCode() throws {
        let bench = try AccountBench()
        bench.server.serve(
            "/device",
            bench.json(
                """
                {"device_code": "d", "user_code": "ABCD", "verification_uri": "https://lamp.example/enter", "expires_in": 300, "interval": 2,
                "verification_uri_complete": "javascript:alert(1)"}
                """))
        bench.server.serve(
            "/token", bench.json("{\"error\":\"authorization_pending\"}", status: 400),
            bench.json("{\"error\":\"slow_down\"}", status: 400), .status(503), bench.json(token))
        let login = try DeviceLogin(client(bench), at: bench.server.url("/device"))
        #expect(login.userCode == "ABCD")
        #expect(login.place == "https://lamp.example/enter")
        #expect(login.completePlace == nil)
        var pauses: [Duration] = []
        let tokens = try login.tokens(client(bench)) { pause in
            pauses.append(pause)
            return true
        }
        #expect(tokens.access.exposed == "a")
        #expect(tokens.expiresAt == 1_060)
        #expect(pauses == [.seconds(2), .seconds(2), .seconds(7), .seconds(14)])
        #expect(bench.server.requests(for: "/device").first?.body == "scope=books&client_id=bookshelf")
        #expect(
            bench.server.requests(for: "/token").first?.body
                == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=d&client_id=bookshelf"
        )
    }

    @Test("A login by a code ends when it is declined, out of time, or given up")
    func deviceCodeEnds() throws {
        let bench = try AccountBench()
        bench.server.serve(
            "/device",
            bench.json(
                "{\"device_code\":\"d\",\"user_code\":\"A\",\"verification_uri\":\"https://lamp.example\",\"expires_in\":20}"
            ))
        let login = try DeviceLogin(client(bench), at: bench.server.url("/device"))
        bench.server.serve("/token", bench.json("{\"error\":\"access_denied\"}", status: 400))
        #expect(throws: AccountError.refused(reason: "the login was declined")) {
            try login.tokens(client(bench)) { _ in true }
        }
        bench.server.serve("/token", bench.json("{\"error\":\"authorization_pending\"}", status: 400))
        var pauseCount = 0
        #expect(throws: AccountError.abandoned(reason: "the code wasn't entered in time")) {
            try login.tokens(client(bench)) { _ in
                pauseCount += 1
                return true
            }
        }
        #expect(pauseCount == 4)
        #expect(throws: AccountError.abandoned(reason: "the login was given up")) {
            try login.tokens(client(bench)) { _ in false }
        }
    }

    @Test(
        "What a server says instead of a known word isn't repeated", arguments: ["<b>secret</b>", "a b", "\u{1B}[31m"])
    func strangeWords(_ word: String) throws {
        let bench = try AccountBench()
        let body = try JSONSerialization.data(withJSONObject: ["error": word])
        bench.server.serve("/token", bench.json(String(decoding: body, as: UTF8.self), status: 400))
        do {
            _ = try client(bench).tokens(user: "ann", password: Secret("hunter2"))
            Issue.record("logged in")
        } catch {
            #expect(!error.reason.contains(word))
            #expect(!error.reason.contains("hunter2"))
        }
    }

    @Test(
        "An answer that can't be used is no token",
        arguments: [
            "", "[]", "{\"access_token\":\"\"}", "{\"access_token\":\"a\\r\\nX: y\"}",
            "{\"access_token\":\"a\",\"token_type\":\"mac\"}",
        ])
    func noToken(_ body: String) throws {
        let bench = try AccountBench()
        bench.server.serve("/token", bench.json(body))
        #expect(throws: AccountError.self) { try client(bench).tokens(user: "ann", password: Secret("p")) }
    }

    // MARK: - In a browser

    @Test("A browser is sent to the login, and the code that it comes back with is turned into a token")
    func browser() throws {
        let bench = try AccountBench()
        let page = try LoopbackPage()
        let server = TokenServer(tokenEndpoint: bench.server.url("/token"), clientID: "bookshelf", scope: "books")
        let login = BrowserLogin(
            server, endpoint: bench.server.url("/authorize"), issuer: "https://lamp.example", port: page.port)
        bench.server.serve("/token", bench.json(token))
        let address = page.address
        let visits = Monitor<[Int]>([])
        _ = WorkerThread(name: "browser") {
            let browser = TransferLoop(CurlLibrary(), retryPolicy: RetryPolicy(delays: []))
            /// The status of a page, and where it leads.
            func visit(_ url: String) -> (status: Int, place: String?) {
                var request = TransferRequest(url: url)
                request.acceptsErrorResponses = true
                var head: ResponseHead?
                do throws(HTTPError) {
                    try browser.perform(request) { received in
                        head = received
                        return .goOn
                    } onBody: { _ in
                        .goOn
                    }
                } catch {
                    return (0, nil)
                }
                visits.update { $0.append(head?.status ?? 0) }
                return (head?.status ?? 0, head?.effectiveURL)
            }
            _ = visit(address + "nothing")
            _ = visit(address + "callback?code=stolen&state=guessed")
            // The server of the test stands for the login; the state is in what it was asked.
            _ = visit(address)
            let asked = bench.server.requests.last?.path ?? ""
            let state = asked.split(separator: "&").first { $0.hasPrefix("state=") } ?? ""
            _ = visit(address + "callback?code=good&\(state)&iss=https%3A%2F%2Flamp.example")
            browser.shutDown()
        }
        let tokens = try login.tokens(by: page, client(bench), atMost: .seconds(60), isCancelled: { false })
        #expect(tokens.access.exposed == "a")
        #expect(visits.wait(atMost: .seconds(60)) { $0.count == 4 ? $0 : nil } == [404, 400, 404, 200])
        let asked = try #require(bench.server.requests.first { $0.path.hasPrefix("/authorize?") }).path
        #expect(asked.contains("response_type=code") && asked.contains("code_challenge_method=S256"))
        #expect(asked.contains("redirect_uri=http%3A%2F%2F127.0.0.1%3A\(page.port)%2Fcallback"))
        let exchanged = try #require(bench.server.requests(for: "/token").first).body
        #expect(exchanged.contains("code=good") && exchanged.contains("code_verifier="))
    }

    @Test("Nobody who comes in time, or a person who gives it up, ends a login in a browser")
    func browserEnds() throws {
        let bench = try AccountBench()
        let page = try LoopbackPage()
        let login = BrowserLogin(
            TokenServer(tokenEndpoint: bench.server.url("/token")), endpoint: bench.server.url("/authorize"),
            issuer: nil,
            port: page.port)
        #expect(throws: AccountError.abandoned(reason: "nobody logged in in time")) {
            try login.tokens(by: page, client(bench), atMost: .milliseconds(10), isCancelled: { false })
        }
        #expect(throws: AccountError.abandoned(reason: "the login was given up")) {
            try login.tokens(by: page, client(bench), atMost: .seconds(60), isCancelled: { true })
        }
    }

    // MARK: - Devices

    @Test("A device has an identity of its own, and one of its machine that doesn't give the machine's away")
    func device() throws {
        let bench = try AccountBench()
        let machineFile = "\(bench.directory)/machine-id"
        try "0123456789abcdef0123456789abcdef\n".write(toFile: machineFile, atomically: true, encoding: .utf8)
        let path = "\(bench.directory)/device"
        let first = try DeviceIdentity(at: path, profile: "default", machineFile: machineFile)
        #expect(try DeviceIdentity(at: path, profile: "default", machineFile: machineFile) == first)
        #expect(
            first.identifier.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/)
                != nil)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try FileManager.default.removeItem(atPath: path)
        let again = try DeviceIdentity(at: path, profile: "default", machineFile: machineFile)
        #expect(again.identifier != first.identifier)
        #expect(again.machine == first.machine)
        #expect(try DeviceIdentity(at: path, profile: "other", machineFile: machineFile).machine != first.machine)
        #expect(try DeviceIdentity(at: path, profile: "default", machineFile: "/nonexistent").machine == nil)
        #expect(first.machine?.replacing("-", with: "").contains("0123456789") == false)
    }

    @Test("The identity of a machine is what systemd derives for the same application")
    func machine() {
        let machine: [UInt8] = [
            0x8a, 0x1f, 0x6c, 0x0e, 0x7b, 0x2d, 0x49, 0x58, 0xb3, 0xc4, 0xd5, 0xe6, 0xf7, 0x08, 0x19, 0x20,
        ]
        let application = (0..<16).map { UInt8($0) }
        #expect(
            DeviceIdentity.derived(from: machine, application: application) == "4d4ffc63-f009-4865-8aa7-5220f92e861e")
    }
}
