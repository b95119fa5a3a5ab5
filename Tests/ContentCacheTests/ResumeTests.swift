import ContentCache
import Foundation
import Shelf
import Synchronization
import TestHarness
import Testing

@Suite("Several requests for one content")
struct ResumeTests {
    private static let bodies = (book(6 << 20), book(6 << 20, seed: 99))

    private var body: [UInt8] { Self.bodies.0 }
    private var otherBody: [UInt8] { Self.bodies.1 }

    private func served(_ body: [UInt8], etag: String? = "\"1\"", _ change: (inout ServedContent) -> Void = { _ in })
        -> ServedContent
    {
        var content = ServedContent(body)
        content.etag = etag
        change(&content)
        return content
    }

    @Test("What broke off goes on where it ended, if the source vouches for the rest", arguments: [true, false])
    func resumed(_ hasHash: Bool) throws {
        let bench = try CacheBench()
        bench.server.serve("/1", served(body) { $0.resetsAfter = 3 << 20 }, served(body))
        let version = bench.version(1, body, hasHash: hasHash)
        expectSame(try bench.read(version).bytes(0..<(6 << 20)), body)
        let requests = bench.server.requests(for: "/1")
        #expect(requests.count == 2)
        #expect(requests.last?.fields["if-range"] == "\"1\"")
        let start = try #require(requests.last?.fields["range"]?.dropFirst(6).dropLast().description)
        #expect(try #require(Int(start)) > 1 << 20)
    }

    @Test("A reset at every tenth is gone on from, as long as there is progress")
    func resetOften() throws {
        let bench = try CacheBench()
        bench.server.serve("/1", served(body) { $0.resetsAfter = (6 << 20) / 10 })
        let version = bench.version(1, body)
        expectSame(try bench.read(version).bytes(0..<(6 << 20)), body)
        #expect(bench.server.requests(for: "/1").count >= 10)
    }

    @Test(
        "Without a validator that vouches for it, it begins anew and must be the same so far",
        arguments: [nil, "W/\"1\""])
    func comparedAnew(_ etag: String?) throws {
        let bench = try CacheBench()
        bench.server.serve("/1", served(body, etag: etag) { $0.resetsAfter = 3 << 20 }, served(body, etag: etag))
        let version = bench.version(1, body, hasHash: false)
        let early = try bench.read(version, 0..<1_000_000)
        expectSame(early.bytes(0..<1_000_000), Array(body[..<1_000_000]))
        expectSame(try bench.read(version).bytes(0..<(6 << 20)), body)
        #expect(bench.server.requests(for: "/1").map { $0.fields["range"] } == [nil, nil])
    }

    @Test(
        "A book that changes between two requests is the new one, while nobody has read of the old",
        arguments: [
            ("\"1\"", "\"2\""), (nil, nil), ("\"1\"", nil), ("W/\"1\"", "W/\"2\""),
        ] as [(String?, String?)])
    func changedUnread(_ etags: (String?, String?)) throws {
        let bench = try CacheBench()
        bench.server.serve(
            "/1", served(body, etag: etags.0) { $0.resetsAfter = 3 << 20 }, served(otherBody, etag: etags.1))
        let version = bench.version(1, body, hasHash: false)
        expectSame(try bench.fetch(version).bytes(0..<(6 << 20)), otherBody)
    }

    @Test("A book that changes while it is read fails the reader for good, and whoever opens it alone gets the new one")
    func changedWhileRead() throws {
        let bench = try CacheBench()
        let cache = try #require(bench.cache)
        bench.server.serve(
            "/1", served(body) { $0.resetsAfter = 3 << 20 }, served(otherBody, etag: "\"2\""))
        let version = bench.version(1, body, hasHash: false)
        #expect(cache.prepareToOpen(version.id, isAlone: false))
        let early = try bench.read(version, 0..<1_000_000)
        expectSame(early.bytes(0..<1_000_000), Array(body[..<1_000_000]))
        let late = try bench.read(version)
        #expect(late.error?.symbol == "EIO")
        bench.clock.advance(by: .seconds(6))
        #expect(try bench.read(version, 5_000_000..<5_000_010).error?.symbol == "EIO", "for good")
        // With another handle still open, only another identity helps.
        #expect(!cache.prepareToOpen(version.id, isAlone: false))
        #expect(eventually { bench.renewals.withLock { $0 } == [version.id] })
        #expect(try bench.read(version, 5_000_000..<5_000_010).error?.symbol == "EIO")
        // Alone, with the kernel's pages dropped, nothing can be mixed.
        #expect(!cache.prepareToOpen(version.id, isAlone: true))
        expectSame(try bench.read(version).bytes(0..<(6 << 20)), otherBody)
        #expect(eventually { cache.prepareToOpen(version.id, isAlone: false) && bench.stagedNames.isEmpty })
        #expect(cache.prepareToOpen(version.id, isAlone: true))
    }

    @Test("Wrong bytes of which a part was read fail the rest, and a healthy source serves it afterwards")
    func wrongBytes() throws {
        let bench = try CacheBench()
        let cache = try #require(bench.cache)
        bench.server.serve("/1", served(otherBody, etag: "\"2\""))
        let version = bench.version(1, body)
        #expect(try bench.read(version, 0..<1_000_000).file != nil)
        #expect(try bench.read(version).error?.symbol == "EIO")
        bench.server.serve("/1", served(body))
        bench.clock.advance(by: .seconds(6))
        #expect(try bench.read(version).error?.symbol == "EIO", "the handle that got wrong bytes gets no others")
        #expect(!cache.prepareToOpen(version.id, isAlone: true))
        expectSame(try bench.read(version).bytes(0..<(6 << 20)), body)
    }

    enum Lie: CaseIterable, CustomTestStringConvertible {
        case start, total, noRange, otherETag, noETag, longer, encoded

        var testDescription: String { "\(self)" }

        func tell(_ content: inout ServedContent) {
            switch self {
            case .start: content.contentRange = "bytes 0-100/6291456"
            case .total: content.contentRange = "bytes 3145728-6291455/7000000"
            case .noRange: content.contentRange = "bytes */6291456"
            case .otherETag:
                content.etag = "\"other\""
                content.ignoresIfRange = true
            case .noETag:
                content.etag = nil
                content.ignoresIfRange = true
            case .longer: content.contentRange = "bytes 3145728-6291456/6291457"
            case .encoded: content.fields = [("Content-Encoding", "gzip")]
            }
        }
    }

    @Test("A part that isn't the one asked for isn't taken; the whole is asked for anew", arguments: Lie.allCases)
    func lies(_ lie: Lie) throws {
        let bench = try CacheBench()
        bench.server.serve(
            "/1", served(body) { $0.resetsAfter = 3 << 20 }, served(body) { lie.tell(&$0) }, served(body))
        let version = bench.version(1, body, hasHash: false)
        expectSame(try bench.read(version).bytes(0..<(6 << 20)), body)
        #expect(bench.server.requests(for: "/1").count == 3)
    }

    @Test("A source that sends the whole instead of a part is taken at its word, if it is the same so far")
    func wholeInsteadOfPart() throws {
        let bench = try CacheBench()
        bench.server.serve("/1", served(body) { $0.resetsAfter = 3 << 20 }, served(body) { $0.hasRanges = false })
        let version = bench.version(1, body, hasHash: false)
        #expect(try bench.read(version, 0..<1_000_000).file != nil)
        expectSame(try bench.read(version).bytes(0..<(6 << 20)), body)
        #expect(bench.server.requests(for: "/1").count == 2)
    }

    @Test("A read far ahead doesn't wait for what lies between")
    func seek() throws {
        let bench = try CacheBench()
        bench.server.serve("/1", served(body) { $0.stallsAfter = 1 << 20 }, served(body))
        let version = bench.version(1, body, hasHash: false)
        let early = try bench.read(version, 0..<1_000)
        #expect(early.file != nil)
        let far = try bench.read(version, 5_500_000..<5_600_000)
        expectSame(far.bytes(5_500_000..<5_600_000), Array(body[5_500_000..<5_600_000]))
        let tail = try bench.read(version, 6_291_000..<6_291_456)
        expectSame(tail.bytes(6_291_000..<6_291_456), Array(body[6_291_000...]))
        #expect(bench.server.requests(for: "/1").dropFirst().allSatisfy { $0.fields["if-range"] == "\"1\"" })
        bench.server.release("/1")
        expectSame(try bench.read(version).bytes(0..<(6 << 20)), body)
        #expect(bench.server.requests(for: "/1").count <= 4)
    }

    @Test("With a hash the end is given to nobody before the whole is right, however far ahead it is read")
    func keptBack() throws {
        let bench = try CacheBench()
        bench.server.serve("/1", served(body) { $0.stallsAfter = 1 << 20 }, served(body))
        let version = bench.version(1, body)
        #expect(try bench.read(version, 0..<1_000).file != nil)
        #expect(try bench.read(version, 6_280_000..<6_287_000).file != nil)
        let tail = try bench.read(version, 6_291_000..<6_291_456, deadline: .milliseconds(200))
        #expect(tail.error?.symbol == "ETIMEDOUT")
        bench.server.release("/1")
    }

    @Test("A source without parts is read to where the reader waits", arguments: [nil, "W/\"1\""])
    func noSeek(_ etag: String?) throws {
        let bench = try CacheBench()
        bench.server.serve("/1", served(body, etag: etag))
        let version = bench.version(1, body, hasHash: false)
        let far = try bench.read(version, 5_500_000..<5_600_000)
        expectSame(far.bytes(5_500_000..<5_600_000), Array(body[5_500_000..<5_600_000]))
        #expect(bench.server.requests(for: "/1").count == 1)
    }

    @Test("What has come survives the process, block by block", arguments: [nil, 100_000, 2_500_000])
    func takenUp(_ damage: Int?) throws {
        let bench = try CacheBench()
        bench.server.serve("/1", served(body) { $0.stallsAfter = 4 << 20 }, served(body))
        let version = bench.version(1, body, hasHash: false)
        #expect(try bench.read(version, 3_900_000..<4_100_000).file != nil)
        // As many blocks as can be whole are written down.
        let record = bench.path + "/stage/1.part.progress"
        #expect(
            eventually { (try? String(contentsOfFile: record, encoding: .utf8))?.contains("\n2 ") ?? false })
        bench.cache?.shutDown(atMost: .seconds(60))
        if let damage {
            let file = try FileHandle(forWritingTo: URL(filePath: bench.path + "/stage/1.part"))
            try file.seek(toOffset: UInt64(damage))
            try file.write(contentsOf: Data([body[damage] ^ 1]))
        }
        let formerCount = bench.server.requests(for: "/1").count
        try bench.reopen()
        #expect(bench.cache?.state(of: version.id) == .partial)
        expectSame(try bench.read(version).bytes(0..<(6 << 20)), body)
        let requests = bench.server.requests(for: "/1").dropFirst(formerCount)
        // What lies before the damage isn't asked for; what lies behind it is there as well.
        #expect(requests.first?.fields["range"] != nil || damage == 100_000)
        #expect(requests.last?.fields["if-range"] == "\"1\"")
        let first = requests.first?.fields["range"]?.dropFirst(6).prefix { $0 != "-" } ?? "0"
        #expect(try #require(Int(first)) >= ((damage ?? 3 << 20) >> 20) << 20)
        #expect(eventually { bench.stagedNames.isEmpty })
    }

    @Test("What has come can be read while the source can't be reached")
    func takenUpOffline() throws {
        let bench = try CacheBench()
        bench.server.serve("/1", served(body) { $0.stallsAfter = 4 << 20 })
        let version = bench.version(1, body)
        #expect(try bench.read(version, 3_900_000..<4_100_000).file != nil)
        let record = bench.path + "/stage/1.part.progress"
        #expect(
            eventually { (try? String(contentsOfFile: record, encoding: .utf8))?.contains("\n2 ") ?? false })
        bench.server.stop()
        try bench.reopen()
        expectSame(try bench.read(version, 0..<1_000_000).bytes(0..<1_000_000), Array(body[..<1_000_000]))
        #expect(try bench.read(version, 5_000_000..<5_000_001).error?.symbol == "EHOSTUNREACH")
    }

    @Test("A process that takes over after bytes were given out adds nothing to them that it can't vouch for")
    func takenOver() throws {
        let small = book(1 << 20)
        let bench = try CacheBench()
        bench.server.serve("/1", served(small, etag: nil) { $0.stallsAfter = 500_000 })
        let version = bench.version(1, small, hasHash: false)
        #expect(try bench.read(version, 0..<100_000).file != nil)
        bench.cache?.shutDown(atMost: .seconds(60))
        // As after kill -9: nothing was written down but the mark.
        for name in bench.stagedNames where !name.hasSuffix(".given") {
            try FileManager.default.removeItem(atPath: bench.path + "/stage/" + name)
        }
        bench.server.serve("/1", served(book(1 << 20, seed: 7), etag: nil))
        try bench.reopen()
        #expect(try bench.read(version).error?.symbol == "EIO")
        #expect(bench.cache?.prepareToOpen(version.id, isAlone: true) == false)
        expectSame(try bench.read(version).bytes(0..<(1 << 20)), book(1 << 20, seed: 7))
        // A new mount has a kernel that remembers nothing.
        bench.server.serve("/2", served(small, etag: nil) { $0.stallsAfter = 500_000 }, served(small, etag: nil))
        let second = bench.version(2, small, hasHash: false)
        #expect(try bench.read(second, 0..<100_000).file != nil)
        try bench.reopen(isFirstUse: true)
        expectSame(try bench.read(second).bytes(0..<(1 << 20)), small)
    }
}
