import Accounts
import Foundation
import HTTP
import Log
import Synchronization
import TestHarness
import Threads

/// A directory, a server and what is logged in to it, for one test.
final class AccountBench: Sendable {
    let directory: String
    let server: FaultServer
    let loop: TransferLoop
    let store: AccountStore
    let sessions: AccountSessions

    /// Seconds since 1970, as the sessions see it.
    let time: Clock

    final class Clock: Sendable {
        private let seconds = Mutex<Int64>(1_000_000)

        var now: Int64 { seconds.withLock { $0 } }

        func advance(by duration: Int64) { seconds.withLock { $0 += duration } }
    }

    init(keyring: (any SecretKeeper)? = nil) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "accounts-\(UUID().uuidString)")
            .path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        server = try FaultServer()
        loop = TransferLoop(CurlLibrary(), retryPolicy: RetryPolicy(delays: [], jitter: { 1 }))
        store = AccountStore(path: "\(directory)/secrets", keyring: keyring)
        let time = Clock()
        self.time = time
        let origin = URLReference.origin(server.url("/"))
        sessions = AccountSessions(
            store, loop: loop, permissions: PermissionFiles(in: "\(directory)/permissions"),
            trust: { _ in SourceTrust(origin: origin, pinnedPublicKeys: ["sha256//pin"]) }, now: { time.now })
    }

    deinit {
        loop.shutDown()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// An account with a token that ends in `life` seconds.
    func account(_ access: String = "access-1", refresh: String? = "refresh-1", life: Int64 = 3_600) -> Account {
        var account = Account(user: "ann", origin: URLReference.origin(server.url("/")) ?? "")
        account.server = TokenServer(tokenEndpoint: server.url("/token"), clientID: "bookshelf")
        account.store = StoreEndpoints(permissions: server.url("/permissions"))
        account.device = "device-1"
        account.deviceToken = Secret("device-token")
        account.tokens = Account.Tokens(
            access: Secret(access), refresh: refresh.map { Secret($0) }, expiresAt: time.now + life, life: life)
        return account
    }

    /// Asks whom to be, and waits for the answer.
    func authorise(_ path: String = "/book", refused: Authorisation? = nil) -> Result<Authorisation, HTTPError>? {
        let answer = Monitor<Result<Authorisation, HTTPError>?>(nil)
        sessions.authorise(server.url(path), of: "shop", refused: refused) { result in answer.update { $0 = result } }
        return answer.wait(atMost: .seconds(60)) { $0 }
    }

    /// The token that is to be used now.
    func token(refused: Authorisation? = nil) -> String? {
        guard case .success(let authorisation) = authorise(refused: refused),
            case .bearer(let token) = authorisation.credentials
        else { return nil }
        return token
    }

    func json(_ text: String, status: Int = 200) -> ServedContent {
        var content = ServedContent(Array(text.utf8))
        content.status = status
        content.mediaType = "application/json"
        return content
    }
}

/// A keyring that keeps its secrets in memory, or refuses.
final class FakeKeyring: SecretKeeper {
    private let secrets = Mutex<[String: Secret]>([:])
    private let isRefusing = Mutex(false)

    func refuse(_ isRefusing: Bool = true) { self.isRefusing.withLock { $0 = isRefusing } }

    func secret(of source: String) throws(AccountError) -> Secret? {
        try check()
        return secrets.withLock { $0[source] }
    }

    func keep(_ secret: Secret, of source: String) throws(AccountError) {
        try check()
        secrets.withLock { $0[source] = secret }
    }

    func forget(_ source: String) throws(AccountError) {
        try check()
        secrets.withLock { $0[source] = nil }
    }

    private func check() throws(AccountError) {
        if isRefusing.withLock({ $0 }) { throw .keyring(reason: "it is locked") }
    }
}
