import ContentCache
import Foundation
import Shelf
import TestHarness
import Testing

@Suite("Whose numbers a cache goes by")
struct OwnershipTests {
    private let body = book(100_000)
    private let other = book(100_000, seed: 9)

    @Test("A cache that is opened for another catalog holds nothing of the first, under no number")
    func twoCatalogs() throws {
        let bench = try CacheBench()
        try bench.reopen(catalog: "one")
        bench.server.serve("/1", ServedContent(body), ServedContent(other))
        let version = bench.version(1, body, hasHash: false)
        expectSame(try bench.read(version).bytes(0..<100_000), body)
        try Data(body).write(to: URL(filePath: bench.path + "/stage/3.part"))

        try bench.reopen(catalog: "one")
        #expect(bench.cache?.clearedFileCount == 0)
        #expect(bench.cache?.state(of: version.id) == .local)

        // Of the same size, number and source, without a hash: nothing else would tell them apart.
        try bench.reopen(catalog: "two")
        #expect(bench.cache?.clearedFileCount == 2)
        #expect(bench.cache?.state(of: version.id) == .placeholder)
        #expect(bench.stagedNames.isEmpty)
        expectSame(try bench.read(version).bytes(0..<100_000), other)
        let owner = bench.path + "/catalog"
        #expect(try String(contentsOfFile: owner, encoding: .utf8) == "two\n")
        #expect(try FileManager.default.attributesOfItem(atPath: owner)[.posixPermissions] as? Int == 0o600)
    }

    @Test("Those who only list see nothing of another catalog")
    func listing() throws {
        let bench = try CacheBench()
        try bench.reopen(catalog: "one")
        bench.server.serve("/1", ServedContent(body))
        #expect(try bench.read(bench.version(1, body)).file != nil)
        func count(_ catalog: String?) -> Int {
            var count = 0
            CacheListing.forEachLocal(in: bench.path, ofCatalog: catalog) { _, _ in count += 1 }
            return count
        }
        #expect(count("one") == 1)
        #expect(count("two") == 0)
        #expect(count(nil) == 1)
    }

    @Test(
        "What nobody says whose it is is removed; where it is removed while the cache is open, it is written down again"
    )
    func unknownOwner() throws {
        let bench = try CacheBench()
        try bench.reopen(catalog: "one")
        let owner = URL(filePath: bench.path + "/catalog")
        for id in 1...2 { bench.server.serve("/\(id)", ServedContent(body)) }
        #expect(try bench.read(bench.version(1, body)).file != nil)
        try FileManager.default.removeItem(at: owner)
        #expect(try bench.read(bench.version(2, body)).file != nil)
        try bench.reopen(catalog: "one")
        #expect(bench.cache?.clearedFileCount == 0)
        #expect(bench.cache?.usage().fileCount == 2)
        try FileManager.default.removeItem(at: owner)
        try bench.reopen(catalog: "one")
        #expect(bench.cache?.usage().fileCount == 0)
    }
}
