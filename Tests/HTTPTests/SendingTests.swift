import HTTP
import TestHarness
import Testing

@Suite("Sending")
struct SendingTests {
    private func post(_ bench: Bench, _ url: String, _ change: (inout TransferRequest) -> Void = { _ in })
        -> CollectingReceiver
    {
        bench.get(url) { request in
            request.method = .post
            request.body = Array("a=b%20c".utf8)
            change(&request)
        }
    }

    @Test("A form is sent as it is, and its answer arrives")
    func form() throws {
        let server = try FaultServer()
        server.serve("/token", ServedContent(Array("{}".utf8)))
        #expect(post(Bench(), server.url("/token")).final.body == Array("{}".utf8))
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.body == "a=b%20c")
        #expect(request.fields["content-type"] == "application/x-www-form-urlencoded")
    }

    @Test("Another type of body is named by its field, and an empty one is sent as well")
    func otherBodies() throws {
        let server = try FaultServer()
        server.serve("/devices", ServedContent(Array("{}".utf8)))
        let bench = Bench()
        _ =
            post(bench, server.url("/devices")) { request in
                request.body = []
                request.fields = [.init("Content-Type", "application/json")]
            }.final
        #expect(server.requests.first?.fields["content-type"] == "application/json")
        #expect(server.requests.first?.fields["content-length"] == "0")
        _ = bench.get(server.url("/devices")) { $0.method = .delete }.final
        #expect(server.requests.last?.method == "DELETE")
    }

    @Test("What was sent isn't sent twice, whatever became of it", arguments: [500, 503, 429])
    func once(_ status: Int) throws {
        let server = try FaultServer()
        server.serve("/token", .status(status))
        guard case .status(status, _) = post(Bench(), server.url("/token")).failure else {
            Issue.record("another outcome")
            return
        }
        #expect(server.requests.count == 1)
        var broken = ServedContent(Array("{}".utf8))
        broken.rawAnswer = ""
        server.serve("/broken", broken)
        #expect(post(Bench(), server.url("/broken")).failure != nil)
        #expect(server.requests(for: "/broken").count == 1)
    }

    @Test("What was sent follows no redirect", arguments: [301, 302, 303, 307, 308])
    func redirected(_ status: Int) throws {
        let server = try FaultServer()
        server.serve("/token", .redirect(to: "/elsewhere", status: status))
        guard case .refusedRedirect = post(Bench(), server.url("/token")).failure else {
            Issue.record("another outcome")
            return
        }
        #expect(server.requests(for: "/elsewhere").isEmpty)
    }

    @Test("One connection carries one request after another")
    func connections() throws {
        let server = try FaultServer()
        server.serve("/book", ServedContent(Array("book".utf8)))
        let bench = Bench()
        for _ in 0..<5 { _ = bench.get(server.url("/book")).final }
        #expect(server.requests.map(\.connection) == [1, 1, 1, 1, 1])
        let session = bench.loop.session()
        for _ in 0..<3 {
            try session.perform(TransferRequest(url: server.url("/book"))) { _ in
                .goOn
            } onBody: { _ in
                .goOn
            }
        }
        #expect(server.requests.map(\.connection).suffix(3) == [2, 2, 2])
    }
}
