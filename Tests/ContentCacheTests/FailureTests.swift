import ContentCache
import Foundation
import Shelf
import Synchronization
import TestHarness
import Testing

@Suite("When content doesn't come")
struct FailureTests {
    private let body = book(200_000)

    @Test(
        "What the server says decides the error",
        arguments: [
            (404, "ENODATA"), (410, "ENODATA"), (401, "EACCES"), (403, "EACCES"), (500, "EIO"), (429, "EIO"),
            (503, "EIO"), (400, "EIO"), (204, "EIO"), (206, "EIO"), (304, "EIO"),
        ])
    func statuses(_ status: Int, _ symbol: String) throws {
        let bench = try CacheBench()
        bench.server.serve("/1", .status(status))
        let answer = try bench.read(bench.version(1, body))
        #expect(answer.error?.symbol == symbol)
        #expect(bench.stagedNames.isEmpty)
        #expect(bench.cache?.journal.current.failures.count == 1)
    }

    @Test("A source that isn't there is unreachable, at once")
    func unreachable() throws {
        let bench = try CacheBench()
        let version = bench.version(1, body)
        bench.server.stop()
        #expect(try bench.read(version).error?.symbol == "EHOSTUNREACH")
    }

    @Test(
        "What isn't the book never becomes one",
        arguments: [
            Damage.short, .reset, .longer, .wrongBytes, .wrongBytesAtTheEnd, .captivePortal, .empty, .claimsMore,
        ], [true, false])
    func damaged(_ damage: Damage, _ hasHash: Bool) throws {
        // Without a hash nobody can tell other bytes of the same size.
        if !hasHash, damage == .wrongBytes || damage == .wrongBytesAtTheEnd { return }
        let bench = try CacheBench()
        // So that the size binds, without a hash too.
        func tagged(_ content: ServedContent) -> ServedContent {
            var content = content
            content.etag = "\"a\""
            return content
        }
        bench.server.serve("/1", tagged(damage.content(of: body)))
        let version = bench.version(1, body, isBinding: true, confirmedETag: "\"a\"", hasHash: hasHash)
        let answer = try bench.read(version)
        #expect(answer.error?.symbol == "EIO", "\(String(describing: answer.outcome))")
        #expect(bench.cache?.state(of: version.id) == .placeholder)
        #expect(eventually { bench.stagedNames.isEmpty })
        #expect(bench.file(of: version) == nil)

        bench.server.serve("/1", tagged(ServedContent(body)))
        bench.clock.advance(by: .seconds(5))
        expectSame(try bench.read(version).bytes(0..<200_000), body)
    }

    @Test("A login page doesn't become the size of the book")
    func captivePortal() throws {
        let bench = try CacheBench()
        bench.server.serve("/1", Damage.captivePortal.content(of: body))
        #expect(try bench.read(bench.version(1, body, hasHash: false)).error?.symbol == "EIO")
        #expect(bench.corrections.withLock { $0 }.isEmpty)
    }

    @Test("A silent source ends the flight when its time is up")
    func stall() throws {
        let bench = try CacheBench(stall: .milliseconds(100))
        var content = ServedContent(body)
        content.stallsAfter = 1_000
        bench.server.serve("/1", content)
        #expect(try bench.read(bench.version(1, body)).error?.symbol == "ETIMEDOUT")
    }

    @Test("A failure is remembered for five seconds by reads; fetching tries at once")
    func remembered() throws {
        let bench = try CacheBench()
        bench.server.serve("/1", .status(404))
        let version = bench.version(1, body)
        let first = try bench.read(version)
        #expect(first.error != nil)
        bench.clock.advance(by: .milliseconds(4_999))
        let second = try bench.read(version)
        #expect(second.isAnswered)
        #expect(second.error == first.error)
        #expect(bench.server.requests.count == 1)
        // Another version isn't concerned.
        bench.server.serve("/2", ServedContent(body))
        #expect(try bench.read(bench.version(2, body)).file != nil)

        #expect(try bench.fetch(version).error?.symbol == "ENODATA")
        #expect(bench.server.requests(for: "/1").count == 2)
        bench.clock.advance(by: .seconds(5))
        bench.server.serve("/1", ServedContent(body))
        expectSame(try bench.read(version).bytes(0..<200_000), body)
        #expect(bench.server.requests(for: "/1").count == 3)
    }

    @Test("The bytes of a superseded version that can't be had are superseded, not broken")
    func superseded() throws {
        let bench = try CacheBench()
        bench.server.serve("/1", .status(404))
        bench.server.serve("/2", ServedContent(book(100)))
        bench.server.serve("/3", ServedContent(book(200_000, seed: 2)))
        bench.server.serve("/4", ServedContent(body))
        for id in 1...3 {
            let version = bench.version(Int64(id), body, isSuperseded: true)
            #expect(try bench.read(version).error == .superseded)
        }
        expectSame(try bench.read(bench.version(4, body, isSuperseded: true)).bytes(0..<200_000), body)
    }

    @Test("A read that meets its deadline while the source is tried again says what was wrong")
    func deadlineWhileRetrying() throws {
        let bench = try CacheBench(retryDelays: [.seconds(60)])
        bench.server.serve("/1", .status(503))
        let answer = try bench.read(bench.version(1, body), deadline: .milliseconds(500))
        #expect(answer.error?.symbol == "EIO")
        #expect(answer.error?.reason.contains("503") == true)
    }

    @Test("A cache that can't be written says where and why")
    func unwritable() throws {
        let bench = try CacheBench()
        try FileManager.default.removeItem(atPath: bench.path + "/stage")
        try Data().write(to: URL(filePath: bench.path + "/stage"))
        bench.server.serve("/1", ServedContent(body))
        let error = try bench.read(bench.version(1, body)).error
        #expect(error?.symbol == "EIO")
        #expect(error?.reason.contains(bench.path) == true)
    }

}

/// What arrives instead of a book.
enum Damage: CaseIterable, CustomTestStringConvertible {
    case short, reset, longer, wrongBytes, wrongBytesAtTheEnd, captivePortal, empty, claimsMore

    var testDescription: String { "\(self)" }

    func content(of body: [UInt8]) -> ServedContent {
        var content = ServedContent(body)
        switch self {
        case .short: content.closesAfter = body.count - 1
        case .reset: content.resetsAfter = body.count / 2
        case .longer: content.body = body + [0]
        case .wrongBytes: content.body[body.count / 2] ^= 1
        case .wrongBytesAtTheEnd: content.body[body.count - 1] ^= 1
        case .captivePortal:
            content.body = Array("<html><body>Please log in.</body></html>".utf8)
            content.mediaType = "text/html"
        case .empty: content.body = []
        case .claimsMore: content.claimedByteCount = body.count + 10
        }
        return content
    }
}
