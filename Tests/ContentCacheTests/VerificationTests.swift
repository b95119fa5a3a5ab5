import ContentCache
import Foundation
import Shelf
import Synchronization
import TestHarness
import Testing
import Threads

@Suite("Verifying what is on disk")
struct VerificationTests {
    private let body = book(1_200_000)

    /// Changes bytes of a file as a disk does: size and date stay.
    private func rot(_ file: URL) throws {
        var attributes = stat()
        #expect(unsafe stat(file.path, &attributes) == 0)
        let times = [attributes.st_atim, attributes.st_mtim]
        let handle = try FileHandle(forWritingTo: file)
        try handle.seek(toOffset: 1_100_000)
        try handle.write(contentsOf: Data([0, 1, 2, 3]))
        try handle.close()
        #expect(unsafe utimensat(AT_FDCWD, file.path, times, 0) == 0)
    }

    private func verifiedAt(_ file: URL) throws -> Date {
        let record = file.deletingPathExtension().appendingPathExtension("record")
        return try #require(FileManager.default.attributesOfItem(atPath: record.path)[.modificationDate] as? Date)
    }

    private func age(_ file: URL, by seconds: TimeInterval) throws {
        let record = file.deletingPathExtension().appendingPathExtension("record")
        try FileManager.default.setAttributes(
            [.modificationDate: Date().addingTimeInterval(-seconds)], ofItemAtPath: record.path)
    }

    @Test("Sound content stays, and is noted as verified now")
    func sound() throws {
        let bench = try CacheBench()
        let cache = try #require(bench.cache)
        let version = try bench.bringLocal(1, body)
        let file = try #require(bench.file(of: version))
        try age(file, by: 1_000_000)
        var readByteCount: Int64 = 0
        #expect(
            cache.verify(version.id, as: version) {
                readByteCount += $0
                return true
            } == .sound)
        #expect(readByteCount == 1_200_000)
        #expect(try verifiedAt(file).timeIntervalSinceNow > -100_000)
        #expect(cache.verify(version.id, as: version) { _ in false } == .abandoned)
        #expect(cache.verify(VersionID(rawValue: 99), as: nil) == .absent)
        #expect(bench.server.requests.count == 1)
    }

    @Test(
        "Bytes that changed under an unchanged size and date are found, and never served again",
        arguments: [true, false])
    func rotten(_ hasHash: Bool) throws {
        let bench = try CacheBench()
        let cache = try #require(bench.cache)
        let version = try bench.bringLocal(1, body, hasHash: hasHash)
        try rot(try #require(bench.file(of: version)))
        guard case .damaged(let reason) = cache.verify(version.id, as: version) else {
            Issue.record("it isn't found")
            return
        }
        #expect(reason.contains("bytes"))
        #expect(bench.file(of: version) == nil)
        #expect(cache.state(of: version.id) == .placeholder)
        #expect(bench.drops.withLock { $0 } == [version.id])
        #expect(bench.renewals.withLock { $0 }.isEmpty)
        #expect(cache.journal.current.failures.map(\.error.symbol) == ["EIO"])
        #expect(cache.usage() == .init())
        expectSame(try bench.read(version).bytes(0..<1_200_000), body)
        #expect(bench.server.requests.count == 2)
    }

    @Test(
        "Who has damaged content open gets an error for good, also from the next process, and who opens it alone begins anew"
    )
    func rottenWhileOpen() throws {
        let bench = try CacheBench()
        bench.server.serve("/1", ServedContent(body))
        let version = bench.version(1, body)
        _ = bench.openVersions.withLock { $0.insert(version.id) }
        #expect(try bench.read(version).file != nil)
        try rot(try #require(bench.file(of: version)))
        let found = try #require(bench.cache).verify(version.id, as: version)
        guard case .damaged = found else {
            Issue.record("\(found)")
            return
        }
        #expect(bench.renewals.withLock { $0 } == [version.id])
        #expect(try bench.read(version, 0..<1_000).error?.symbol == "EIO")
        try bench.reopen()
        #expect(try bench.read(version, 0..<1_000).error?.symbol == "EIO")
        #expect(bench.server.requests.count == 1)
        // The last handle has gone, and another comes.
        #expect(try #require(bench.cache).prepareToOpen(version.id, isAlone: true) == false)
        expectSame(try bench.read(version).bytes(0..<1_200_000), body)
    }

    @Test(
        "What the catalog says otherwise, a file without its record, one that was touched and one that is a link are damaged"
    )
    func otherDamage() throws {
        let bench = try CacheBench()
        let cache = try #require(bench.cache)
        for id in 1...4 { _ = try bench.bringLocal(Int64(id), body) }
        func file(_ id: Int64) throws -> URL { try #require(bench.file(of: bench.version(id, body))) }
        try FileManager.default.removeItem(at: try file(2).deletingPathExtension().appendingPathExtension("record"))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: file(3).path)
        let link = try file(4)
        try FileManager.default.removeItem(at: link)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: try file(1))
        for id in 1...4 {
            let version = bench.version(Int64(id), id == 1 ? book(1_200_000, seed: 5) : body)
            let found = cache.verify(version.id, as: version)
            guard case .damaged = found else {
                Issue.record("\(id): \(found)")
                continue
            }
            #expect(bench.file(of: version) == nil)
        }
        #expect(cache.storedVersions().isEmpty)
    }

    @Test("A record without its content is removed")
    func recordAlone() throws {
        let bench = try CacheBench()
        let cache = try #require(bench.cache)
        let version = try bench.bringLocal(1, body)
        try FileManager.default.removeItem(at: try #require(bench.file(of: version)))
        #expect(cache.storedVersions() == [version.id])
        #expect(cache.verify(version.id, as: version) == .absent)
        #expect(cache.storedVersions().isEmpty)
    }

    @Test("The scrub finds damage by itself, looks at each content once an interval, and ends when it is told to")
    func scrub() throws {
        let bench = try CacheBench()
        let cache = try #require(bench.cache)
        let versions = try (1...3).map { try bench.bringLocal($0, body) }
        let files = try versions.map { try #require(bench.file(of: $0)) }
        // The first is sound and due, the second is damaged and due, the third is damaged and isn't due.
        try age(files[0], by: 700_000)
        try age(files[1], by: 800_000)
        try rot(files[1])
        try rot(files[2])
        var pace = ContentScrub.Pace()
        pace.firstLook = .zero
        pace.lookInterval = .milliseconds(20)
        pace.byteRate = 1 << 34
        let scrub = ContentScrub(cache, pace: pace) { id in versions.first { $0.id == id } }
        #expect(eventually { !FileManager.default.fileExists(atPath: files[1].path) })
        #expect(eventually { ((try? self.verifiedAt(files[0])) ?? .distantPast).timeIntervalSinceNow > -100_000 })
        #expect(FileManager.default.fileExists(atPath: files[0].path))
        #expect(FileManager.default.fileExists(atPath: files[2].path))
        #expect(eventually { cache.journal.current.failures.map(\.version) == [versions[1].id] })
        #expect(scrub.stop(atMost: .seconds(60)))
    }

    @Test("The scrub waits while something is fetched, and stops in the middle of a slow look")
    func scrubGivesWay() throws {
        let bench = try CacheBench()
        let cache = try #require(bench.cache)
        let version = try bench.bringLocal(1, body)
        let file = try #require(bench.file(of: version))
        try age(file, by: 700_000)
        let pending = try bench.read(bench.serve(2, body) { $0.isHeld = true })
        #expect(bench.server.waitForRequests(1, for: "/2"))
        let progress = Monitor((givenWayCount: 0, begunCount: 0))
        var pace = ContentScrub.Pace()
        pace.firstLook = .zero
        pace.patience = .milliseconds(1)
        pace.didGiveWay = { progress.update { $0.givenWayCount += 1 } }
        // A look at one block lasts for hours.
        pace.byteRate = 1
        let scrub = ContentScrub(cache, pace: pace) { _ in
            progress.update { $0.begunCount += 1 }
            return version
        }
        // More than once: it has come back, found the flight still there, and begun nothing.
        #expect(progress.wait(atMost: .seconds(60)) { $0.givenWayCount >= 2 ? $0.begunCount : nil } == 0)
        bench.server.release("/2")
        #expect(pending.file != nil)
        #expect(progress.wait(atMost: .seconds(60)) { $0.begunCount == 1 ? true : nil } == true)
        #expect(scrub.stop(atMost: .seconds(60)))
        #expect(try verifiedAt(file).timeIntervalSinceNow < -600_000)
    }
}
