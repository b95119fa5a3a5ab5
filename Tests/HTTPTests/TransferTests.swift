import Foundation
import HTTP
import TestHarness
import Testing

@Suite("Transfers")
struct TransferTests {
    private let body = book(300_000)

    @Test("A body arrives whole, with its head before it")
    func whole() throws {
        let server = try FaultServer()
        var content = ServedContent(body)
        content.etag = "\"one\""
        content.fields = [("X-Thing", " a value ")]
        server.serve("/book", content)

        let result = Bench().get(server.url("/book")).final
        expectSame(result.body, body)
        #expect(result.finishCount == 1)
        let head = try #require(result.head)
        #expect(head.status == 200)
        #expect(head.contentByteCount == 300_000)
        #expect(head["etag"] == "\"one\"")
        #expect(head["x-thing"] == "a value")
        #expect(head.mediaType == "application/epub+zip")
        #expect(server.requests.first?.fields["accept-encoding"] == "identity")
    }

    @Test("HEAD brings the size and no body")
    func head() throws {
        let server = try FaultServer()
        server.serve("/book", ServedContent(body))
        let result = Bench().get(server.url("/book")) { $0.method = .head }.final
        #expect(result.head?.contentByteCount == 300_000)
        #expect(result.body.isEmpty)
        #expect(result.outcome?.isSuccess == true)
    }

    @Test("A validator that still holds is answered by 304, which is handed out")
    func notModified() throws {
        let server = try FaultServer()
        var content = ServedContent(body)
        content.etag = "\"one\""
        server.serve("/catalog", content)
        let result = Bench().get(server.url("/catalog")) { $0.fields = [.init("If-None-Match", "\"one\"")] }.final
        #expect(result.head?.status == 304)
        #expect(result.outcome?.isSuccess == true)
    }

    @Test("What isn't HTTP is tried again, by another connection, and said to be that")
    func noHTTP() throws {
        let server = try FaultServer()
        var stray = ServedContent()
        stray.rawAnswer = "xHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\ny"
        server.serve("/book", stray, ServedContent(body))
        expectSame(Bench().get(server.url("/book")).final.body, body)
        server.serve("/other", stray)
        let result = Bench().get(server.url("/other")).final
        guard case .failure(.protocolBroken(let reason))? = result.outcome else {
            Issue.record("ended with \(String(describing: result.outcome))")
            return
        }
        #expect(reason.hasSuffix("answered with something that isn't HTTP"))
        #expect(server.requests(for: "/other").count == 4)
    }

    @Test("Failures that may pass are tried again three times, and told")
    func retries() throws {
        let server = try FaultServer()
        server.serve("/book", .status(503), .status(500), .status(502), ServedContent(body))
        let result = Bench().get(server.url("/book")).final
        expectSame(result.body, body)
        #expect(result.retries.count == 3)
        #expect(server.requests.count == 4)
    }

    @Test("After three retries the status is the error", arguments: [500, 503, 429])
    func givesUp(_ status: Int) throws {
        let server = try FaultServer()
        server.serve("/book", .status(status))
        let failure = Bench().get(server.url("/book")).failure
        guard case .status(status, let reason) = failure else {
            Issue.record("ended with \(String(describing: failure))")
            return
        }
        #expect(reason.contains("\(status)"))
        #expect(server.requests.count == 4)
    }

    @Test("Statuses that don't pass are not tried again", arguments: [400, 401, 403, 404, 410])
    func definite(_ status: Int) throws {
        let server = try FaultServer()
        server.serve("/book", .status(status))
        guard case .status(status, _) = Bench().get(server.url("/book")).failure else {
            Issue.record("another error")
            return
        }
        #expect(server.requests.count == 1)
    }

    @Test("An error response is handed out where it is wanted")
    func errorResponse() throws {
        let server = try FaultServer()
        server.serve("/feed", .status(401))
        let result = Bench().get(server.url("/feed")) { $0.acceptsErrorResponses = true }.final
        #expect(result.head?.status == 401)
        #expect(result.body == Array("status 401".utf8))
    }

    @Test(
        "Retry-After of one request holds back all of its source, as a number and as a date", arguments: [false, true])
    func retryAfter(_ isDate: Bool) throws {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let server = try FaultServer()
        let value = isDate ? formatter.string(from: Date(timeIntervalSinceNow: 3_600)) : "3600"
        server.serve("/book", .status(429, fields: [("Retry-After", value)]), ServedContent(body))
        server.serve("/other", ServedContent(body))
        let bench = Bench(delays: [.zero], maximumRetryAfter: .milliseconds(300))
        let clock = ContinuousClock()
        let first = bench.get(server.url("/book"))
        #expect(server.waitForRequests(1, for: "/book"))
        #expect(first.waitForRetry())
        let start = clock.now
        let second = bench.get(server.url("/other"))
        expectSame(second.final.body, body)
        #expect(start.duration(to: clock.now) > .milliseconds(200))
        expectSame(first.final.body, body)
    }

    @Test("A connection that breaks before the head is tried again; after it, never")
    func broken() throws {
        let server = try FaultServer()
        var content = ServedContent(body)
        content.resetsAfter = 100_000
        server.serve("/book", content)
        let result = Bench().get(server.url("/book")).final
        #expect(server.requests.count == 1)
        #expect(result.body.count <= 100_000)
        expectSame(result.body, Array(body.prefix(result.body.count)))
        guard case .failure(.brokenOff) = result.outcome else {
            Issue.record("ended with \(String(describing: result.outcome))")
            return
        }
    }

    @Test("A body that ends before its Content-Length is broken off")
    func short() throws {
        let server = try FaultServer()
        var content = ServedContent(body)
        content.closesAfter = 250_000
        server.serve("/book", content)
        guard case .brokenOff = Bench().get(server.url("/book")).failure else {
            Issue.record("another outcome")
            return
        }
    }

    @Test("Nobody listening is unreachable, at once where that is wanted")
    func refused() throws {
        let server = try FaultServer()
        let url = server.url("/book")
        server.stop()
        let result = Bench().get(url) { $0.retriesUnreachable = false }.final
        #expect(result.retries.isEmpty)
        guard case .failure(.unreachable(let reason)) = result.outcome else {
            Issue.record("ended with \(String(describing: result.outcome))")
            return
        }
        #expect(reason.contains("127.0.0.1"))
        #expect(Bench().get(url).final.retries.count == 3)
    }

    @Test("A name that doesn't exist is unreachable")
    func unknownName() {
        // A label of more than 63 letters: no name server is asked.
        let name = String(repeating: "a", count: 64)
        let result = Bench().get("https://\(name).invalid/book") { $0.retriesUnreachable = false }.final
        guard case .failure(.unreachable) = result.outcome else {
            Issue.record("ended with \(String(describing: result.outcome))")
            return
        }
    }

    @Test("Silence ends a transfer, before the head and within the body", arguments: [true, false])
    func stalls(_ isBeforeHead: Bool) throws {
        let server = try FaultServer()
        var content = ServedContent(body)
        if isBeforeHead { content.isHeld = true } else { content.stallsAfter = 1_000 }
        server.serve("/book", content)
        let receiver = Bench(delays: []).get(server.url("/book")) { $0.stallTimeout = .milliseconds(200) }
        guard case .timedOut = receiver.failure else {
            Issue.record("another outcome")
            return
        }
    }

    @Test("A bound on the whole time holds")
    func totalTime() throws {
        let server = try FaultServer()
        var content = ServedContent(body)
        content.stallsAfter = 1_000
        server.serve("/book", content)
        let receiver = Bench(delays: []).get(server.url("/book")) { $0.totalTimeout = .milliseconds(200) }
        guard case .timedOut = receiver.failure else {
            Issue.record("another outcome")
            return
        }
    }

    @Test("More bytes than allowed are refused, announced or not", arguments: [true, false])
    func tooLarge(_ isChunked: Bool) throws {
        let server = try FaultServer()
        var content = ServedContent(body)
        content.isChunked = isChunked
        server.serve("/book", content)
        let result = Bench().get(server.url("/book")) { $0.maximumBodyByteCount = 100_000 }.final
        #expect(result.body.count <= 100_000)
        guard case .failure(.tooLarge) = result.outcome else {
            Issue.record("ended with \(String(describing: result.outcome))")
            return
        }
    }

    @Test("A transfer can be given up while it runs, while it waits, and by its receiver")
    func cancel() throws {
        let server = try FaultServer()
        var content = ServedContent(body)
        content.stallsAfter = 1_000
        server.serve("/book", content)
        let bench = Bench(maximumTransferCount: 1)

        let running = CollectingReceiver()
        let waiting = CollectingReceiver()
        let first = bench.loop.start(TransferRequest(url: server.url("/book")), into: running)
        #expect(running.waitForBytes(1))
        let second = bench.loop.start(TransferRequest(url: server.url("/book")), into: waiting)
        second.cancel()
        #expect(waiting.failure == .cancelled)
        first.cancel()
        first.cancel()
        #expect(running.failure == .cancelled)
        #expect(running.final.finishCount == 1)

        let stopper = CollectingReceiver(stopsAtHead: true)
        _ = bench.loop.start(TransferRequest(url: server.url("/book")), into: stopper)
        #expect(stopper.failure == .cancelled)
        #expect(stopper.final.body.isEmpty)
    }

    @Test("So many transfers of a source run at a time, and those that somebody waits for go first")
    func bounds() throws {
        let server = try FaultServer()
        for name in ["/1", "/2", "/late", "/urgent"] {
            var content = ServedContent(body)
            content.isHeld = name != "/urgent"
            server.serve(name, content)
        }
        let bench = Bench(maximumTransferCount: 2)
        let first = [bench.get(server.url("/1")), bench.get(server.url("/2"))]
        #expect(server.waitForRequests(1, for: "/1"))
        #expect(server.waitForRequests(1, for: "/2"))
        let late = bench.get(server.url("/late"))
        let urgent = bench.get(server.url("/urgent")) { $0.isUrgent = true }
        // Another source isn't held up.
        let other = bench.get(server.url("/none")) { $0.group = "other" }
        #expect(other.failure != nil)
        #expect(server.requests(for: "/late").isEmpty)
        server.release("/1")
        expectSame(urgent.final.body, body)
        server.release("/2")
        server.release("/late")
        expectSame(late.final.body, body)
        for result in first { expectSame(result.final.body, body) }
        let order = server.requests.map(\.path)
        let urgentIndex = try #require(order.firstIndex(of: "/urgent"))
        let lateIndex = try #require(order.firstIndex(of: "/late"))
        #expect(urgentIndex < lateIndex)
    }

    @Test("Shutting down ends a hundred stalled transfers, and takes no more")
    func shutDown() throws {
        let server = try FaultServer()
        var content = ServedContent(body)
        content.stallsAfter = 10
        server.serve("/book", content)
        let bench = Bench(maximumTransferCount: 1_000)
        let receivers = (0..<100).map { _ in bench.get(server.url("/book")) }
        #expect(receivers.allSatisfy { $0.waitForBytes(10) })
        #expect(bench.loop.shutDown())
        #expect(receivers.allSatisfy { $0.failure == .cancelled })
        let late = CollectingReceiver()
        _ = bench.loop.start(TransferRequest(url: server.url("/book")), into: late)
        #expect(late.failure == .cancelled)
    }

    @Test("A compressed catalog arrives decompressed; content that comes compressed unasked too, with no size claimed")
    func compressed() throws {
        let server = try FaultServer()
        // “hello hello hello hello\n” by gzip.
        let bytes: [UInt8] = [
            0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40,
            0x27, 0xb9, 0x00, 0x00, 0x88, 0x59, 0x0b, 0x18, 0x00, 0x00, 0x00,
        ]
        var content = ServedContent(bytes)
        content.fields = [("Content-Encoding", "gzip")]
        server.serve("/catalog", content)
        let bench = Bench()
        for allowsCompression in [true, false] {
            let result = bench.get(server.url("/catalog")) { $0.allowsCompression = allowsCompression }.final
            #expect(String(decoding: result.body, as: UTF8.self) == "hello hello hello hello\n")
            #expect(result.head?.contentByteCount == nil)
        }
        let small = bench.get(server.url("/catalog")) { request in
            request.allowsCompression = true
            request.maximumBodyByteCount = 10
        }
        guard case .tooLarge = small.failure else {
            Issue.record("the bound is not on decompressed bytes")
            return
        }
        #expect(server.requests.first?.fields["accept-encoding"] == "gzip")
    }

    @Test("A transfer on the calling thread brings the same")
    func onCallingThread() throws {
        let server = try FaultServer()
        server.serve("/book", .status(503), ServedContent(body))
        let loop = Bench().loop
        var received: [UInt8] = []
        var status = 0
        try loop.perform(TransferRequest(url: server.url("/book"))) { head in
            status = head.status
            return .goOn
        } onBody: { bytes in
            unsafe bytes.withUnsafeBufferPointer { unsafe received += $0 }
            return .goOn
        }
        #expect(status == 200)
        expectSame(received, body)

        var content = ServedContent(body)
        content.stallsAfter = 1
        server.serve("/stalled", content)
        #expect(throws: HTTPError.cancelled) {
            try loop.perform(TransferRequest(url: server.url("/stalled")), isCancelled: { true }) { _ in
                .goOn
            } onBody: { _ in
                .goOn
            }
        }
    }
}

extension Result {
    var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
