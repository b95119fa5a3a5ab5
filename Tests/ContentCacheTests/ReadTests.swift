import ContentCache
import Foundation
import Shelf
import Synchronization
import TestHarness
import Testing

@Suite("Reading through the cache")
struct ReadTests {
    private let body = book(400_000)

    @Test("Fifty readers of a cold book share one request and get equal bytes")
    func sharedFlight() throws {
        let bench = try CacheBench()
        let version = bench.serve(1, body) { $0.isHeld = true }
        let answers = try (0..<50).map { index in
            try bench.read(version, Int64(index) * 8_000..<Int64(index + 1) * 8_000)
        }
        #expect(bench.server.waitForRequests(1, for: "/1"))
        #expect(answers.allSatisfy { !$0.isAnswered })
        bench.server.release("/1")
        for (index, answer) in answers.enumerated() {
            #expect(
                answer.bytes(Int64(index) * 8_000..<Int64(index + 1) * 8_000)
                    == Array(body[index * 8_000..<(index + 1) * 8_000]))
            #expect(answer.answerCount == 1)
        }
        #expect(bench.server.requests.count == 1)
        #expect(bench.cache?.state(of: version.id) == .local)
        #expect(eventually { bench.stagedNames.isEmpty })
    }

    @Test("What is on disk is answered at once, by the next process too, without a request")
    func local() throws {
        let bench = try CacheBench()
        bench.server.serve("/1", ServedContent(body))
        let version = bench.version(1, body)
        expectSame(try bench.read(version).bytes(0..<400_000), body)
        for isReopened in [false, true] {
            if isReopened { try bench.reopen() }
            let answer = try bench.read(version)
            #expect(answer.isAnswered)
            #expect(answer.file?.isWhole == true)
            expectSame(answer.bytes(0..<400_000), body)
        }
        #expect(bench.server.requests.count == 1)
        #expect(bench.cache?.usage() == .init(byteCount: 400_000, fileCount: 1))
    }

    @Test(
        "A range is answered as soon as it has arrived, the last bytes only after the whole is verified",
        arguments: [true, false])
    func arriving(_ hasHash: Bool) throws {
        let bench = try CacheBench()
        let version = bench.serve(1, body, hasHash: hasHash) { $0.stallsAfter = 399_999 }
        let early = try bench.read(version, 0..<100_000)
        let late = try bench.read(version, 395_904..<395_905)
        expectSame(early.bytes(0..<100_000), Array(body[..<100_000]))
        #expect(early.file?.isWhole == false)
        let border = try bench.read(version, 300_000..<395_904)
        expectSame(border.bytes(300_000..<395_904), Array(body[300_000..<395_904]))
        #expect(bench.cache?.state(of: version.id) == .partial)
        #expect(!late.isAnswered)
        bench.server.release("/1")
        expectSame(late.bytes(395_904..<400_000), Array(body[395_904...]))
        #expect(late.file?.isWhole == true)
        #expect(bench.server.requests.count == 1)
    }

    @Test("A deadline ends the read, not the flight; the next read has what arrived")
    func deadline() throws {
        let bench = try CacheBench()
        let version = bench.serve(1, body) { $0.stallsAfter = 200_000 }
        let tooLate = try bench.read(version, 300_000..<310_000, deadline: .milliseconds(100))
        guard case .timedOut = tooLate.error else {
            Issue.record("answered with \(String(describing: tooLate.outcome))")
            return
        }
        let present = try bench.read(version, 0..<200_000)
        expectSame(present.bytes(0..<200_000), Array(body[..<200_000]))
        bench.server.release("/1")
        expectSame(try bench.read(version).bytes(0..<400_000), body)
        #expect(bench.server.requests.count == 1)
        #expect(tooLate.answerCount == 1)
    }

    @Test("A passed deadline isn't doubled for a read of which a part had come")
    func partlyExpired() throws {
        let bench = try CacheBench()
        let version = bench.serve(1, body) { $0.stallsAfter = 2_000 }
        #expect(try bench.read(version, 0..<131_072, deadline: .milliseconds(300)).error?.symbol == "ETIMEDOUT")
        let again = try bench.read(version, 0..<4_096)
        #expect(again.isAnswered)
        #expect(again.error?.symbol == "ETIMEDOUT")
        #expect(try bench.read(version, 0..<2_000).file != nil)
        bench.server.release("/1")
        expectSame(try bench.fetch(version).bytes(0..<400_000), body)
    }

    @Test("A flight that brought nothing ends with its last reader, and its failure is remembered")
    func idle() throws {
        let bench = try CacheBench()
        let version = bench.serve(1, body) { $0.isHeld = true }
        let answers = try [100, 300].map { try bench.read(version, 0..<1_000, deadline: .milliseconds($0)) }
        #expect(answers[0].error?.symbol == "ETIMEDOUT")
        #expect(bench.cache?.journal.current.activeCount == 1)
        #expect(answers[1].error?.symbol == "ETIMEDOUT")
        #expect(eventually { bench.cache?.journal.current.activeCount == 0 })
        #expect(try bench.read(version, 0..<1_000).isAnswered)
        #expect(bench.cache?.journal.current.failures.map(\.version) == [version.id], "one of a book, not of a read")
        bench.clock.advance(by: .seconds(6))
        bench.server.release("/1")
        expectSame(try bench.read(version).bytes(0..<400_000), body)
        #expect(eventually { bench.cache?.journal.current.failures.isEmpty == true })
    }

    @Test("A passed deadline is remembered while no byte comes, so that the kernel's second question doesn't double it")
    func rememberedDeadline() throws {
        let bench = try CacheBench()
        let version = bench.serve(1, body) { $0.stallsAfter = 200_000 }
        #expect(try bench.read(version, 0..<200_000).file != nil)
        let earlier = try bench.read(version, 150_000..<250_000)
        #expect(try bench.read(version, 250_000..<300_000, deadline: .milliseconds(100)).error != nil)
        for range: Range<Int64> in [250_000..<254_096, 350_000..<360_000] {
            let again = try bench.read(version, range)
            #expect(again.isAnswered)
            guard case .timedOut = again.error else {
                Issue.record("answered with \(String(describing: again.outcome))")
                return
            }
        }
        #expect(!earlier.isAnswered, "what stands before may still come")
        bench.clock.advance(by: .seconds(6))
        let later = try bench.read(version, 250_000..<254_096)
        #expect(!later.isAnswered, "after five seconds it is tried again")
        bench.server.release("/1")
        #expect(later.file != nil)
        #expect(earlier.file != nil)
        expectSame(try bench.read(version).bytes(0..<400_000), body)
        #expect(bench.server.requests.count == 1)
    }

    @Test("A read that is given up is answered as interrupted, once, and the flight goes on")
    func cancelled() throws {
        let bench = try CacheBench()
        let version = bench.serve(1, body) { $0.isHeld = true }
        let answer = try bench.read(version)
        answer.handle?.cancel()
        #expect(answer.isAnswered)
        #expect(answer.error == .interrupted)
        bench.server.release("/1")
        expectSame(try bench.read(version).bytes(0..<400_000), body)
        answer.handle?.cancel()
        #expect(answer.answerCount == 1)
    }

    @Test("Only so many reads wait; further ones fail at once, and what is local is still read")
    func tooMany() throws {
        let bench = try CacheBench(maximumWaitingCount: 3)
        var content = ServedContent(body)
        content.isHeld = true
        bench.server.serve("/1", content)
        bench.server.serve("/2", ServedContent(body))
        let local = bench.version(2, body)
        #expect(try bench.read(local).file != nil)
        let version = bench.version(1, body)
        let waiting = try (0..<3).map { _ in try bench.read(version) }
        let further = try bench.read(version)
        #expect(further.isAnswered)
        #expect(further.error == .tooManyWaiting)
        #expect(try bench.read(local).isAnswered)
        waiting[0].handle?.cancel()
        let next = try bench.read(version)
        #expect(!next.isAnswered)
        bench.server.release("/1")
        #expect(next.file != nil)
        #expect(waiting[1].file != nil)
    }

    @Test("Without a size from the source the declared size must be met")
    func chunked() throws {
        let bench = try CacheBench()
        var content = ServedContent(body)
        content.isChunked = true
        bench.server.serve("/1", content)
        bench.server.serve("/2", content)
        expectSame(try bench.read(bench.version(1, body, hasHash: false)).bytes(0..<400_000), body)
        guard case .broken = try bench.read(bench.version(2, body, byteCount: 399_000, hasHash: false)).error else {
            Issue.record("another size was taken")
            return
        }
    }

    @Test("A declared size that doesn't bind gives way to the source's, before the first byte")
    func sizeCorrection() throws {
        let bench = try CacheBench()
        bench.server.serve("/1", ServedContent(body))
        let answer = try bench.read(bench.version(1, body, byteCount: 123, hasHash: false))
        #expect(answer.file?.byteCount == 400_000)
        #expect(bench.corrections.withLock { $0 } == [400_000])
    }

    @Test("A size that was confirmed without a tag, or for another, doesn't bind: nobody could ever put it right")
    func confirmedWithoutTag() throws {
        let bench = try CacheBench()
        bench.server.serve("/1", ServedContent(body))
        let untagged = bench.version(1, body, byteCount: 123, isBinding: true, hasHash: false)
        expectSame(try bench.read(untagged, 0..<400_000).bytes(0..<400_000), body)
        var content = ServedContent(body)
        content.etag = "\"b\""
        bench.server.serve("/2", content)
        let other = bench.version(2, body, byteCount: 123, isBinding: true, confirmedETag: "\"a\"", hasHash: false)
        expectSame(try bench.read(other, 0..<400_000).bytes(0..<400_000), body)
        // Once when it was stated, and once more, by its tag, when the bytes were there.
        #expect(eventually { bench.corrections.withLock { $0 } == [400_000, 400_000, 400_000] })
    }

    @Test("A size that can't be corrected, or that binds, fails the read", arguments: [true, false])
    func bindingSize(_ isBinding: Bool) throws {
        let bench = try CacheBench(takesCorrections: false)
        var content = ServedContent(body)
        content.etag = "\"a\""
        bench.server.serve("/1", content)
        let version = bench.version(
            1, body, byteCount: 123, isBinding: isBinding, confirmedETag: isBinding ? "\"a\"" : nil, hasHash: false)
        guard case .broken = try bench.read(version, 0..<10).error else {
            Issue.record("another size was taken")
            return
        }
        #expect(bench.corrections.withLock { $0 } == (isBinding ? [] : [400_000]))
        // It ends once, also where all had come before it failed.
        #expect(bench.cache?.shutDown(atMost: .seconds(60)) == true)
        #expect(bench.cache?.journal.current.activeCount == 0)
    }

    @Test("Fetching brings the whole and tells how far it is")
    func fetch() throws {
        let bench = try CacheBench()
        bench.server.serve("/1", ServedContent(body))
        #expect(try bench.fetch(bench.version(1, body)).file?.isWhole == true)
        let report = try #require(bench.cache?.journal.current)
        #expect(report.total.requestCount == 1)
        #expect(report.total.byteCount == 400_000)
        #expect(report.byProgram["bookshelf"]?.byteCount == 400_000)
        #expect(report.activeCount == 0)
    }

    @Test("A file: source is read, and one without the file says so")
    func fileSource() throws {
        let bench = try CacheBench()
        let path = bench.directory.appending(path: "odd.pdf")
        // Not an EPUB, which is nobody's login page when it comes from a file.
        let bytes = Array("%PDF-1.4 and so on".utf8)
        try Data(bytes).write(to: path)
        let version = bench.version(1, bytes, hasHash: false, url: "file://\(path.path(percentEncoded: false))")
        expectSame(try bench.read(version).bytes(0..<18), bytes)
        let missing = bench.version(2, bytes, url: "file:///nowhere/book.epub")
        guard case .missing = try bench.read(missing).error else {
            Issue.record("another error")
            return
        }
    }
}
