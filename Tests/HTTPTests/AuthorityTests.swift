import HTTP
import Synchronization
import TestHarness
import Testing
import Threads

/// Gives out tokens one after another, now or when it is told to.
private final class TestAuthority: TransferAuthority {
    struct State {
        var waiting: [@Sendable (Result<Authorisation, HTTPError>) -> Void] = []
        var refused: [Credentials?] = []
        var forbidden: [String] = []
    }

    let isLate: Bool
    let failure: HTTPError?
    let state = Monitor(State())

    init(isLate: Bool = false, failure: HTTPError? = nil) {
        self.isLate = isLate
        self.failure = failure
    }

    func authorise(
        _ url: String, of group: String, refused: Authorisation?,
        _ completion: @escaping @Sendable (Result<Authorisation, HTTPError>) -> Void
    ) {
        state.update { state in
            state.refused.append(refused?.credentials)
            if isLate { state.waiting.append(completion) }
        }
        if !isLate { completion(answer(isRenewed: refused != nil)) }
    }

    func noteForbidden(_ url: String, of group: String) {
        state.update { $0.forbidden.append(group) }
    }

    func answer(isRenewed: Bool) -> Result<Authorisation, HTTPError> {
        if let failure { return .failure(failure) }
        return .success(
            Authorisation(
                credentials: .bearer(token: isRenewed ? "second" : "first"),
                fields: [.init("Bookshelf-Device", "device-1")]))
    }

    func release() {
        let waiting = state.update { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for completion in waiting { completion(answer(isRenewed: false)) }
    }
}

@Suite("Transfers by an authority")
struct AuthorityTests {
    private let body = Array("book".utf8)

    private func get(
        _ bench: Bench, _ url: String, _ authority: TestAuthority
    ) -> (receiver: CollectingReceiver, transfer: AuthorisedTransfer) {
        var request = TransferRequest(url: url)
        request.group = "shop"
        let receiver = CollectingReceiver(on: bench.loop)
        return (receiver, AuthorisedTransfer.start(request, on: bench.loop, by: authority, into: receiver))
    }

    @Test("A token goes with the request, and what belongs to it")
    func token() throws {
        let server = try FaultServer()
        server.serve("/book", ServedContent(body))
        let authority = TestAuthority()
        #expect(get(Bench(), server.url("/book"), authority).receiver.final.body == body)
        #expect(server.requests.first?.fields["authorization"] == "Bearer first")
        #expect(server.requests.first?.fields["bookshelf-device"] == "device-1")
    }

    @Test("A token that is refused is renewed once, and a second refusal is the end")
    func renewed() throws {
        let server = try FaultServer()
        server.serve("/book", .status(401), ServedContent(body))
        let authority = TestAuthority()
        let bench = Bench()
        #expect(get(bench, server.url("/book"), authority).receiver.final.body == body)
        #expect(server.requests.map { $0.fields["authorization"] } == ["Bearer first", "Bearer second"])
        #expect(authority.state.update { $0.refused } == [nil, .bearer(token: "first")])
        server.serve("/closed", .status(401))
        let result = get(bench, server.url("/closed"), authority).receiver
        guard case .status(401, _) = result.failure else {
            Issue.record("another outcome")
            return
        }
        #expect(server.requests(for: "/closed").count == 2)
        #expect(result.final.finishCount == 1)
    }

    @Test("What is forbidden is told, and not tried again")
    func forbidden() throws {
        let server = try FaultServer()
        server.serve("/book", .status(403))
        let authority = TestAuthority()
        guard case .status(403, _) = get(Bench(), server.url("/book"), authority).receiver.failure else {
            Issue.record("another outcome")
            return
        }
        #expect(server.requests.count == 1)
        #expect(authority.state.update { $0.forbidden } == ["shop"])
    }

    @Test("Where nobody can say who asks, nothing is sent")
    func nobody() throws {
        let server = try FaultServer()
        let authority = TestAuthority(failure: .loginNeeded(reason: "log in"))
        #expect(get(Bench(), server.url("/book"), authority).receiver.failure == .loginNeeded(reason: "log in"))
        #expect(server.requests.isEmpty)
    }

    @Test("A transfer that waits for its token can be given up; nothing is sent then")
    func cancelled() throws {
        let server = try FaultServer()
        let authority = TestAuthority(isLate: true)
        let (receiver, transfer) = get(Bench(), server.url("/book"), authority)
        transfer.cancel()
        authority.release()
        #expect(receiver.failure == .cancelled)
        #expect(server.requests.isEmpty)
    }

    @Test("A thread that has nothing else to do gets the same")
    func blocking() throws {
        let server = try FaultServer()
        server.serve("/book", .status(401), ServedContent(body))
        var received: [UInt8] = []
        var request = TransferRequest(url: server.url("/book"))
        request.group = "shop"
        try Bench().loop.perform(request, by: TestAuthority()) { _ in
            .goOn
        } onBody: { bytes in
            for index in bytes.indices { received.append(bytes[index]) }
            return .goOn
        }
        #expect(received == body)
        #expect(server.requests.map { $0.fields["authorization"] } == ["Bearer first", "Bearer second"])
    }

    @Test("What belongs to a token goes to no other server")
    func redirected() throws {
        let home = try FaultServer()
        let stranger = try FaultServer()
        for (number, place) in [
            stranger.url("/book"), home.url("/book", host: "localhost"), home.url("/book", host: "cdn.localhost"),
        ].enumerated() {
            home.serve("/\(number)", .redirect(to: place))
        }
        home.serve("/book", ServedContent(body))
        stranger.serve("/book", ServedContent(body))
        let bench = Bench()
        for number in 0..<3 {
            #expect(get(bench, home.url("/\(number)"), TestAuthority()).receiver.final.body == body)
        }
        let told = (home.requests + stranger.requests).filter { $0.path == "/book" }
        #expect(told.count == 3)
        for request in told {
            #expect(request.fields["authorization"] == nil)
            #expect(request.fields["bookshelf-device"] == nil)
        }
    }
}
