import Accounts
import Foundation
import HTTP
import Log
import TestHarness
import Testing
import Threads

@Suite("Account sessions")
struct AccountSessionsTests {
    private func renewed(_ bench: AccountBench, _ access: String, refresh: String = "refresh-2") -> ServedContent {
        bench.json(
            "{\"access_token\":\"\(access)\",\"token_type\":\"Bearer\",\"expires_in\":3600,\"refresh_token\":\"\(refresh)\"}"
        )
    }

    @Test("A token that holds is used as it is, with the device, and at its origin alone")
    func holds() throws {
        let bench = try AccountBench()
        try bench.store.keep(bench.account(), of: "shop")
        let authorisation = try #require(try bench.authorise()?.get())
        #expect(authorisation.credentials == .bearer(token: "access-1"))
        #expect(authorisation.fields.map(\.name) == ["Bookshelf-Device", "Bookshelf-Device-Token"])
        #expect(authorisation.pinnedPublicKeys == ["sha256//pin"])
        let answer = Monitor<Result<Authorisation, HTTPError>?>(nil)
        bench.sessions.authorise("https://cdn.example/book", of: "shop", refused: nil) { result in
            answer.update { $0 = result }
        }
        #expect(try answer.wait(atMost: .seconds(60)) { $0 }?.get() == Authorisation())
        #expect(bench.server.requests.isEmpty)
    }

    @Test("A hundred requests with a token that has run out cause one renewal")
    func oneRenewal() throws {
        let bench = try AccountBench()
        try bench.store.keep(bench.account(), of: "shop")
        var content = renewed(bench, "access-2")
        content.isHeld = true
        bench.server.serve("/token", content)
        bench.time.advance(by: 3_571)
        let tokens = Monitor<[Credentials?]>([])
        for _ in 0..<100 {
            bench.sessions.authorise(bench.server.url("/book"), of: "shop", refused: nil) { result in
                tokens.update { $0.append(try? result.get().credentials) }
            }
        }
        #expect(bench.server.waitForRequests(1, for: "/token"))
        bench.server.release("/token")
        let all = tokens.wait(atMost: .seconds(60)) { $0.count == 100 ? $0 : nil }
        #expect(all.map { Set($0) } == [.bearer(token: "access-2")])
        #expect(bench.server.requests.count == 1)
        let request = try #require(bench.server.requests.first)
        #expect(request.method == "POST")
        #expect(request.body == "grant_type=refresh_token&refresh_token=refresh-1&client_id=bookshelf")
        #expect(request.fields["content-type"] == "application/x-www-form-urlencoded")
        #expect(try bench.store.account(of: "shop")?.tokens?.refresh?.exposed == "refresh-2")
    }

    @Test("A token that a server refuses is renewed once, also for those who learn of it later")
    func refused() throws {
        let bench = try AccountBench()
        try bench.store.keep(bench.account(), of: "shop")
        bench.server.serve("/token", renewed(bench, "access-2"), renewed(bench, "access-3"))
        let first = try #require(try bench.authorise()?.get())
        #expect(bench.token(refused: first) == "access-2")
        #expect(bench.token(refused: first) == "access-2")
        #expect(bench.server.requests.count == 1)
        let second = try #require(try bench.authorise()?.get())
        #expect(bench.token(refused: second) == "access-3")
    }

    @Test("What can't be renewed needs a login, which is said and asked of nobody again; a login is noticed")
    func loginNeeded() throws {
        let bench = try AccountBench()
        try bench.store.keep(bench.account(), of: "shop")
        bench.server.serve("/token", bench.json("{\"error\":\"invalid_grant\"}", status: 400))
        bench.time.advance(by: 4_000)
        for _ in 0..<3 {
            guard case .failure(.loginNeeded(let reason)) = bench.authorise() else {
                Issue.record("somebody is logged in")
                return
            }
            #expect(reason.contains("bookshelf login shop"))
        }
        #expect(bench.server.requests.count == 1)
        #expect(bench.store.outline(of: "shop")?.isLoggedIn == false)
        try bench.store.keep(bench.account("access-9"), of: "shop")
        #expect(bench.token() == "access-9")
    }

    @Test("A token without a way to renew it is used to its end, and then a login is needed")
    func noRefresh() throws {
        let bench = try AccountBench()
        try bench.store.keep(bench.account(refresh: nil), of: "shop")
        #expect(bench.token() == "access-1")
        bench.time.advance(by: 4_000)
        guard case .failure(.loginNeeded) = bench.authorise() else {
            Issue.record("somebody is logged in")
            return
        }
        #expect(bench.server.requests.isEmpty)
    }

    @Test("While a token can't be renewed it is used to its very end; after that the failure isn't one of the login")
    func busy() throws {
        let bench = try AccountBench()
        try bench.store.keep(bench.account(), of: "shop")
        bench.server.serve("/token", .status(503))
        bench.time.advance(by: 3_580)
        #expect(bench.token() == "access-1")
        #expect(bench.token() == "access-1")
        #expect(bench.server.requests.count == 1, "not tried again at once")
        bench.time.advance(by: 30)
        guard case .failure(let error) = bench.authorise(), case .brokenOff = error else {
            Issue.record("another outcome")
            return
        }
        #expect(bench.store.outline(of: "shop")?.isLoggedIn == true)
    }

    @Test("A token whose life is short is used for half of it")
    func shortLife() throws {
        let bench = try AccountBench()
        try bench.store.keep(bench.account(life: 10), of: "shop")
        bench.server.serve("/token", renewed(bench, "access-2"))
        bench.time.advance(by: 4)
        #expect(bench.token() == "access-1")
        bench.time.advance(by: 2)
        #expect(bench.token() == "access-2")
    }

    @Test("A token that holds for no time at all is used once each")
    func noLife() throws {
        let bench = try AccountBench()
        try bench.store.keep(bench.account(life: 0), of: "shop")
        bench.server.serve(
            "/token", bench.json("{\"access_token\":\"brief\",\"expires_in\":0,\"refresh_token\":\"r\"}"))
        #expect(bench.token() == "brief")
        #expect(bench.token() == "brief")
        #expect(bench.server.requests.count == 2)
    }

    @Test("What another process has renewed is used")
    func anotherProcess() throws {
        let bench = try AccountBench()
        try bench.store.keep(bench.account(), of: "shop")
        let first = try #require(try bench.authorise()?.get())
        try bench.store.keep(bench.account("access-of-another"), of: "shop")
        #expect(bench.token(refused: first) == "access-of-another")
        #expect(bench.server.requests.isEmpty)
    }

    @Test("Secrets of a keyring are found, and those of one that doesn't answer are no matter of logging in")
    func keyring() throws {
        let keyring = FakeKeyring()
        let bench = try AccountBench(keyring: keyring)
        try bench.store.keep(bench.account(), of: "shop")
        keyring.refuse()
        guard case .failure(.loginNeeded(let reason)) = bench.authorise() else {
            Issue.record("found")
            return
        }
        #expect(reason == "it is locked")
        #expect(bench.store.outline(of: "shop")?.isLoggedIn == true)
        let other = try AccountBench(keyring: keyring)
        keyring.refuse(false)
        try other.store.keep(other.account("access-5"), of: "shop")
        #expect(other.token() == "access-5")
    }

    @Test("After a logout a source is asked as by anybody")
    func loggedOut() throws {
        let bench = try AccountBench()
        var nobody = Account(origin: URLReference.origin(bench.server.url("/")) ?? "")
        nobody.loginNeeded = "log in"
        try bench.store.keep(nobody, of: "shop")
        #expect(try bench.authorise()?.get().credentials == nil)
        bench.sessions.noteAnswered("shop")
        #expect(bench.store.outline(of: "shop")?.loginNeeded == nil)
    }

    @Test("User name and password are used as they are")
    func password() throws {
        let bench = try AccountBench()
        let origin = try #require(URLReference.origin(bench.server.url("/")))
        try bench.store.keep(Account(user: "ann", password: Secret("pw"), origin: origin), of: "shop")
        let authorisation = try #require(try bench.authorise()?.get())
        #expect(authorisation.credentials == .password(user: "ann", password: "pw"))
        #expect(authorisation.fields.isEmpty)
    }

    @Test("Permissions are kept for five minutes, and asked for anew when something was forbidden")
    func permissions() throws {
        let bench = try AccountBench()
        try bench.store.keep(bench.account(), of: "shop")
        bench.server.serve(
            "/permissions", bench.json("{\"account\":\"ann@x\",\"permissions\":[\"books:read\"]}"),
            bench.json("{\"account\":\"ann@x\",\"permissions\":[\"books:*\"]}"))
        #expect(bench.sessions.permissions(of: "shop")?.allow("books:export") == false)
        bench.time.advance(by: 299)
        #expect(bench.sessions.permissions(of: "shop")?.account == "ann@x")
        #expect(bench.server.requests.count == 1)
        #expect(bench.server.requests.first?.fields["authorization"] == "Bearer access-1")
        #expect(bench.server.requests.first?.fields["bookshelf-device-token"] == "device-token")
        _ = bench.authorise()
        for _ in 0..<5 { bench.sessions.noteForbidden(bench.server.url("/book"), of: "shop") }
        let files = PermissionFiles(in: "\(bench.directory)/permissions")
        #expect(eventually { files.permissions(of: "shop")?.allow("books:export") == true })
        #expect(bench.server.requests.count == 2)
        #expect(bench.sessions.permissions(of: "nothing") == nil)
    }
}
