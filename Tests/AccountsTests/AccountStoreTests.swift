import Accounts
import Foundation
import Log
import Testing

@Suite("Account store")
struct AccountStoreTests {
    private func account(_ user: String, _ password: String) -> Account {
        Account(user: user, password: Secret(password), origin: "https://books.example:443")
    }

    @Test("What is kept comes back, and only its owner can read the file")
    func keeps() throws {
        let bench = try AccountBench()
        let store = bench.store
        #expect(store.outline(of: "shop") == nil)
        try store.keep(account("ann", "one"), of: "shop")
        try store.keep(account("bob", "two \"quoted\" 秘密"), of: "other")
        #expect(try store.account(of: "shop")?.user == "ann")
        #expect(try store.account(of: "other")?.password?.exposed == "two \"quoted\" 秘密")
        let mode = try FileManager.default.attributesOfItem(atPath: "\(bench.directory)/secrets")[.posixPermissions]
        #expect(mode as? Int == 0o600)
        try store.forget("shop")
        #expect(store.outline(of: "shop") == nil)
        #expect(store.outline(of: "other") != nil)
    }

    @Test("All of an account comes back")
    func wholeAccount() throws {
        let bench = try AccountBench()
        var account = bench.account()
        account.server?.scope = "books"
        account.server?.refreshEndpoint = "https://id.example/refresh"
        account.server?.revocationEndpoint = "https://id.example/revoke"
        account.loginNeeded = "because"
        account.store.devices = "https://books.example/devices"
        try bench.store.keep(account, of: "shop")
        var kept = try #require(try bench.store.account(of: "shop"))
        #expect(kept.generation == 1)
        kept.generation = 0
        #expect(kept == account)
    }

    @Test("A file that others can read holds no secret")
    func readableByOthers() throws {
        let bench = try AccountBench()
        try bench.store.keep(account("ann", "one"), of: "shop")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: "\(bench.directory)/secrets")
        #expect(try bench.store.account(of: "shop") == nil)
    }

    @Test("An error names the file and no secret")
    func errors() {
        let store = AccountStore(path: "/nonexistent/secrets")
        do {
            try store.keep(account("ann", "hunter2"), of: "shop")
            Issue.record("kept in a directory that isn't there")
        } catch {
            #expect(error.reason.contains("/nonexistent/secrets"))
            #expect(!error.reason.contains("hunter2"))
        }
    }

    @Test("With a keyring no secret is in the file, and without one that answers they are")
    func keyring() throws {
        let keyring = FakeKeyring()
        let bench = try AccountBench(keyring: keyring)
        func file() throws -> String { try String(contentsOfFile: "\(bench.directory)/secrets", encoding: .utf8) }
        try bench.store.keep(bench.account(), of: "shop")
        #expect(try !file().contains("access-1") && !file().contains("refresh-1") && !file().contains("device-token"))
        #expect(bench.store.outline(of: "shop")?.tokens == nil)
        #expect(bench.store.outline(of: "shop")?.isLoggedIn == true)
        #expect(try bench.store.account(of: "shop")?.tokens?.access.exposed == "access-1")
        keyring.refuse()
        #expect(throws: AccountError.self) { try bench.store.account(of: "shop") }
        try bench.store.keep(bench.account("access-2"), of: "shop")
        #expect(try bench.store.account(of: "shop")?.tokens?.access.exposed == "access-2")
        #expect(try file().contains("access-2"))
        keyring.refuse(false)
        try bench.store.keep(bench.account("access-3"), of: "shop")
        #expect(try !file().contains("access-"))
        try bench.store.forget("shop")
        #expect(try keyring.secret(of: "shop") == nil)
    }

    @Test("That a login is needed is said of what was looked at, and of nothing newer")
    func generations() throws {
        let bench = try AccountBench()
        let old = try bench.store.keep(bench.account(), of: "shop")
        let new = try bench.store.keep(bench.account("access-2"), of: "shop")
        try bench.store.setLoginNeeded("refused", of: "shop", ifStill: old.generation)
        #expect(bench.store.outline(of: "shop")?.loginNeeded == nil)
        try bench.store.setLoginNeeded("refused", of: "shop", ifStill: new.generation)
        #expect(bench.store.outline(of: "shop")?.loginNeeded == "refused")
        #expect(bench.store.outline(of: "shop")?.isLoggedIn == false)
        try bench.store.keep(bench.account("access-3"), of: "shop")
        #expect(bench.store.outline(of: "shop")?.isLoggedIn == true)
    }

    @Test("Processes that change it at once lose nothing of each other")
    func atOnce() throws {
        let bench = try AccountBench()
        DispatchQueue.concurrentPerform(iterations: 20) { number in
            // Another value of the store, as another process has it.
            let store = AccountStore(path: "\(bench.directory)/secrets")
            _ = try? store.keep(account("user \(number)", "secret"), of: "source-\(number)")
        }
        for number in 0..<20 { #expect(bench.store.outline(of: "source-\(number)")?.user == "user \(number)") }
    }
}
