import Accounts
import Foundation
import Log
import Testing

@Suite("Secret file")
struct SecretFileTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "secrets-\(UUID().uuidString)")
        .path(percentEncoded: false)

    @Test("What is kept comes back, and only its owner can read the file")
    func keeps() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = SecretFile(path: path)
        #expect(file.account(of: "shop") == nil)
        try file.keep(
            SecretFile.Account(user: "ann", password: Secret("one"), origin: "https://books.example:443"), of: "shop")
        try file.keep(
            SecretFile.Account(user: "bob", password: Secret("two \"quoted\" 秘密"), origin: "https://books.example:443"),
            of: "other")
        #expect(file.account(of: "shop")?.user == "ann")
        #expect(file.account(of: "other")?.password.exposed == "two \"quoted\" 秘密")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try file.forget("shop")
        #expect(file.account(of: "shop") == nil)
        #expect(file.account(of: "other") != nil)
    }

    @Test("A file that others can read holds no secret")
    func readableByOthers() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = SecretFile(path: path)
        try file.keep(
            SecretFile.Account(user: "ann", password: Secret("one"), origin: "https://books.example:443"), of: "shop")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(file.account(of: "shop") == nil)
    }

    @Test("An error names the file and no secret")
    func errors() {
        let file = SecretFile(path: "/nonexistent/secrets")
        do {
            try file.keep(
                SecretFile.Account(user: "ann", password: Secret("hunter2"), origin: "https://books.example:443"),
                of: "shop")
            Issue.record("kept in a directory that isn't there")
        } catch {
            #expect(error.reason.contains("/nonexistent/secrets"))
            #expect(!error.reason.contains("hunter2"))
        }
    }
}
