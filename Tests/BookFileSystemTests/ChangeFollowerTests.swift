import BookFileSystem
import Catalog
import FUSE
import FileWatch
import Foundation
import Log
import Shelf
import Synchronization
import Testing

@Suite("Change follower")
struct ChangeFollowerTests {
    @Test("The kernel is told of every name that changed and its directory, after the requests in progress have ended")
    func exact() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1"), book("2"), book("3", category: "Poems")])
        let kernel = RecordedKernel()
        let follower = try fixture.follower(telling: kernel)
        fixture.board.invalidatedAnchor = try fixture.readers().anchor()
        let tree = try fixture.tree()
        let novels = try #require(try tree.entry("Novels", in: .root)).attributes.inode.rawValue

        try fixture.replace([book("1", byteCount: 9), book("2", title: "Renamed"), book("3", category: "Poems")])
        follower.followOnce()
        #expect(kernel.calls.prefix(2) == ["fence", "recheck"])
        #expect(
            Set(kernel.calls.dropFirst()).isSuperset(of: [
                "entry Title 1.epub in \(novels)", "entry Title 2.epub in \(novels)", "entry Renamed.epub in \(novels)",
                "listing \(novels)", "advance",
            ]))
        #expect(!kernel.calls.contains { $0.contains("Title 3") || $0.contains("Poems") })
        #expect(kernel.calls.last == "advance")
        #expect(fixture.board.invalidatedAnchor == (try fixture.readers().anchor()))

        let count = kernel.calls.count
        follower.followOnce()
        #expect(kernel.calls.count == count)
    }

    @Test("A history that doesn't reach back that far makes the kernel forget the whole tree")
    func expired() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1"), book("2", category: "Poems")])
        let kernel = RecordedKernel()
        let follower = try fixture.follower(telling: kernel)
        fixture.board.invalidatedAnchor = SyncAnchor(rawValue: 1_000_000)
        follower.followOnce()
        #expect(
            Set(kernel.calls).isSuperset(of: ["fence", "entry Novels in 1", "entry Poems in 1", "listing 1", "advance"])
        )
        #expect(fixture.board.invalidatedAnchor == (try fixture.readers().anchor()))
    }

    @Test("What another connection commits is followed without being told")
    func follows() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1")])
        let kernel = RecordedKernel()
        let follower = try fixture.follower(telling: kernel)
        fixture.board.invalidatedAnchor = try fixture.readers().anchor()
        let isDone = Atomic<Bool>(false)
        try withExtendedLifetime(follower) {
            let thread = Thread {
                _ = follower.run()
                isDone.store(true, ordering: .sequentiallyConsistent)
            }
            thread.start()
            try fixture.replace([book("1"), book("2")])
            for _ in 0..<500 where !kernel.calls.contains("advance") { usleep(10_000) }
            #expect(kernel.calls.contains { $0.hasPrefix("entry Title 2.epub") })
            follower.stop()
            for _ in 0..<500 where !isDone.load(ordering: .sequentiallyConsistent) { usleep(10_000) }
            let hasEnded = isDone.load(ordering: .sequentiallyConsistent)
            #expect(hasEnded)
        }
    }

    @Test("A commit that counts only behind its last write to a file is found all the same")
    func lateCommit() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1")])
        let kernel = RecordedKernel()
        let elsewhere = fixture.directory.appending(path: "elsewhere")
        try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: true)
        let follower = try fixture.follower(telling: kernel, watching: elsewhere)
        fixture.board.invalidatedAnchor = try fixture.readers().anchor()
        let isDone = Atomic<Bool>(false)
        try withExtendedLifetime(follower) {
            let thread = Thread {
                _ = follower.run()
                isDone.store(true, ordering: .sequentiallyConsistent)
            }
            thread.start()
            // The write that is seen, then, unseen, the commit.
            try Data([0]).write(to: elsewhere.appending(path: "catalog.db-wal"))
            usleep(150_000)
            try fixture.replace([book("1"), book("2")])
            for _ in 0..<500 where !kernel.calls.contains("advance") { usleep(10_000) }
            #expect(kernel.calls.contains { $0.hasPrefix("entry Title 2.epub") })
            follower.stop()
            for _ in 0..<500 where !isDone.load(ordering: .sequentiallyConsistent) { usleep(10_000) }
            let hasEnded = isDone.load(ordering: .sequentiallyConsistent)
            #expect(hasEnded)
        }
    }
}

extension ChangeFollowerTests {
    @Test("A catalog that another takes the place of ends the following; a missing one doesn't")
    func replaced() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1")])
        let standings = Mutex<[CatalogStanding]>([.inPlace, .missing, .missing, .replaced])
        let isReplaced = Mutex<Bool?>(nil)
        let follower = ChangeFollower(
            catalog: try fixture.readers(), board: fixture.board,
            watch: try DirectoryWatch(fixture.directory.path(percentEncoded: false), filesNamed: "catalog.db"),
            kernel: RecordedKernel(), tidyUp: {},
            standing: { standings.withLock { $0.isEmpty ? .replaced : $0.removeFirst() } }, log: .silent)
        withExtendedLifetime(follower) {
            let thread = Thread {
                let answer = follower.run()
                isReplaced.withLock { $0 = answer }
            }
            thread.start()
            for _ in 0..<1_000 where isReplaced.withLock({ $0 }) == nil { usleep(10_000) }
            #expect(isReplaced.withLock { $0 } == true)
            #expect(standings.withLock { $0.isEmpty })
            follower.stop()
        }
    }

    @Test("Of another catalog the kernel forgets every name, listing and content before anything else")
    func forgetsAll() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1"), book("2", category: "Poems")])
        let kernel = RecordedKernel()
        let follower = try fixture.follower(telling: kernel)
        fixture.board.invalidatedAnchor = try fixture.readers().anchor()
        follower.stop()
        #expect(follower.run(forgettingAll: true) == false)
        let tree = try fixture.tree()
        for (directory, name) in [("Novels", "Title 1.epub"), ("Poems", "Title 2.epub")] {
            let parent = try #require(try tree.entry(directory, in: .root)).attributes.inode
            let inode = try #require(try tree.entry(name, in: parent)).attributes.inode.rawValue
            #expect(kernel.calls.contains("content \(inode)"))
            #expect(kernel.calls.contains("entry \(directory) in 1"))
        }
        #expect(kernel.calls.contains("listing 1"))
    }
}

extension TreeFixture {
    fileprivate func follower(telling kernel: RecordedKernel, watching place: URL? = nil) throws -> ChangeFollower {
        ChangeFollower(
            catalog: try readers(), board: board,
            watch: try DirectoryWatch(
                (place ?? directory).path(percentEncoded: false), filesNamed: "catalog.db"), kernel: kernel,
            tidyUp: {}, log: .silent)
    }
}

/// A kernel that writes down what it is told.
private final class RecordedKernel: KernelCaches {
    private let recorded = Mutex<[String]>([])
    var calls: [String] { recorded.withLock { $0 } }

    func waitForRequestsInProgress() { record("fence") }
    func recheckFiles() { record("recheck") }
    func invalidateEntry(_ name: String, in directory: Inode) { record("entry \(name) in \(directory.rawValue)") }
    func invalidateListing(of directory: Inode) { record("listing \(directory.rawValue)") }
    func invalidateAttributes(of inode: Inode) { record("attributes \(inode.rawValue)") }
    func invalidateContent(of inode: Inode) { record("content \(inode.rawValue)") }
    func didAdvance() { record("advance") }

    private func record(_ call: String) {
        recorded.withLock { $0.append(call) }
    }
}
