import BookFileSystem
import Catalog
import FUSE
import FileWatch
import Foundation
import Log
import Shelf
import Synchronization
import Testing
import Threads

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
        let running = RunningFollower(follower)
        try fixture.replace([book("1"), book("2")])
        #expect(kernel.waitForAdvance())
        #expect(kernel.calls.contains { $0.hasPrefix("entry Title 2.epub") })
        follower.stop()
        #expect(running.answer() == false)
    }

    @Test("A commit that counts only behind its last write to a file is found all the same")
    func lateCommit() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1")])
        let kernel = RecordedKernel()
        let elsewhere = fixture.directory.appending(path: "elsewhere")
        try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: true)
        let looks = SteppedLooks()
        let follower = try fixture.follower(telling: kernel, watching: elsewhere) { looks.take() }
        fixture.board.invalidatedAnchor = try fixture.readers().anchor()
        let running = RunningFollower(follower)
        // Those that it makes by itself when it begins; behind the last of them it waits for a write.
        looks.allow(4)
        #expect(looks.wait(for: 5))
        try Data([0]).write(to: elsewhere.appending(path: "catalog.db-wal"))
        // The look for the sake of that write is over when the commit, which nothing tells of, comes.
        looks.allow(5)
        #expect(looks.wait(for: 6))
        #expect(kernel.calls.isEmpty)
        try fixture.replace([book("1"), book("2")])
        looks.allow(.max)
        #expect(kernel.waitForAdvance())
        #expect(kernel.calls.contains { $0.hasPrefix("entry Title 2.epub") })
        follower.stop()
        #expect(running.answer() == false)
    }
}

extension ChangeFollowerTests {
    @Test("A catalog that another takes the place of ends the following; a missing one doesn't")
    func replaced() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1")])
        let standings = Mutex<[CatalogStanding]>([.inPlace, .missing, .missing, .replaced])
        let follower = ChangeFollower(
            catalog: try fixture.readers(), board: fixture.board,
            watch: try DirectoryWatch(fixture.directory.path(percentEncoded: false), filesNamed: "catalog.db"),
            kernel: RecordedKernel(), tidyUp: {},
            standing: { standings.withLock { $0.isEmpty ? .replaced : $0.removeFirst() } }, log: .silent)
        #expect(RunningFollower(follower).answer() == true)
        #expect(standings.withLock { $0.isEmpty })
        follower.stop()
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
    fileprivate func follower(
        telling kernel: RecordedKernel, watching place: URL? = nil, didLook: @escaping @Sendable () -> Void = {}
    ) throws -> ChangeFollower {
        ChangeFollower(
            catalog: try readers(), board: board,
            watch: try DirectoryWatch(
                (place ?? directory).path(percentEncoded: false), filesNamed: "catalog.db"), kernel: kernel,
            tidyUp: didLook, log: .silent)
    }
}

/// A follower on a thread of its own.
private struct RunningFollower {
    private let ending = Monitor<Bool?>(nil)

    init(_ follower: ChangeFollower) {
        _ = WorkerThread(name: "follower") { [ending] in
            let answer = follower.run()
            ending.update { $0 = answer }
        }
    }

    /// What it ended with, or `nil` if it hasn't within ten seconds.
    func answer() -> Bool? { ending.wait(atMost: .seconds(60)) { $0 } }
}

/// Looks of a follower at its catalog, behind each of which it waits until the test lets it go on.
private final class SteppedLooks: Sendable {
    private let state = Monitor((taken: 0, allowed: 0))

    /// On the follower's thread.
    func take() {
        state.update { $0.taken += 1 }
        _ = state.wait(atMost: .seconds(60)) { $0.allowed >= $0.taken ? true : nil }
    }

    /// Lets it go on behind the first so many.
    func allow(_ count: Int) { state.update { $0.allowed = count } }

    /// Whether it takes so many within ten seconds.
    func wait(for count: Int) -> Bool {
        state.wait(atMost: .seconds(60)) { $0.taken >= count ? true : nil } ?? false
    }
}

/// A kernel that writes down what it is told.
private final class RecordedKernel: KernelCaches {
    private let recorded = Monitor<[String]>([])
    var calls: [String] { recorded.update { $0 } }

    /// Whether something was announced within ten seconds.
    func waitForAdvance() -> Bool {
        recorded.wait(atMost: .seconds(60)) { $0.contains("advance") ? true : nil } ?? false
    }

    func waitForRequestsInProgress() { record("fence") }
    func recheckFiles() { record("recheck") }
    func invalidateEntry(_ name: String, in directory: Inode) { record("entry \(name) in \(directory.rawValue)") }
    func invalidateListing(of directory: Inode) { record("listing \(directory.rawValue)") }
    func invalidateAttributes(of inode: Inode) { record("attributes \(inode.rawValue)") }
    func invalidateContent(of inode: Inode) { record("content \(inode.rawValue)") }
    func didAdvance() { record("advance") }

    private func record(_ call: String) {
        recorded.update { $0.append(call) }
    }
}
