import FileWatch
import Foundation
import Testing

@Suite("Watched trees")
final class TreeWatchTests {
    private let directory: URL
    private let watch: TreeWatch

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "tree-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory.appending(path: "a/b"), withIntermediateDirectories: true)
        watch = try TreeWatch()
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// Whether anything has happened; what happened before is read by it.
    private var hasChanged: Bool { watch.wait(atMost: .zero) == .changed }

    private func put(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: directory.appending(path: name))
    }

    @Test("What is made, written, moved or removed anywhere in a tree is told, several changes as one")
    func tree() throws {
        #expect(watch.watch([TreeWatch.Place(directory.path, isTree: true)]))
        #expect(!hasChanged)
        try put("1", "a/b/one")
        try put("2", "two")
        #expect(hasChanged)
        #expect(!hasChanged)
        try FileManager.default.moveItem(at: directory.appending(path: "two"), to: directory.appending(path: "a/two"))
        #expect(hasChanged)
        try FileManager.default.removeItem(at: directory.appending(path: "a/b/one"))
        #expect(hasChanged)
        // Reading is no change.
        _ = try Data(contentsOf: directory.appending(path: "a/two"))
        #expect(!hasChanged)
    }

    @Test("A single directory is watched without those in it; hidden ones and links of a tree aren't watched")
    func parts() throws {
        #expect(watch.watch([TreeWatch.Place(directory.path, isTree: false)]))
        try put("1", "a/one")
        #expect(!hasChanged)
        try put("1", "one")
        #expect(hasChanged)
        try FileManager.default.createDirectory(
            at: directory.appending(path: ".hidden"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/a/loop", withDestinationPath: directory.path)
        #expect(watch.watch([TreeWatch.Place(directory.path, isTree: true)]))
        try put("1", ".hidden/one")
        #expect(!hasChanged)
    }

    @Test("Other places take the place of those before, and what isn't there is said")
    func places() throws {
        #expect(watch.watch([TreeWatch.Place(directory.path + "/a", isTree: true)]))
        #expect(!watch.watch([TreeWatch.Place(directory.path + "/nothing", isTree: true)]))
        try put("1", "a/one")
        #expect(!hasChanged)
    }

    @Test("A wait is ended from elsewhere, and by its time")
    func waking() throws {
        #expect(watch.wait(atMost: .milliseconds(1)) == .timedOut)
        let watch = watch
        Thread.detachNewThread { watch.wake() }
        #expect(watch.wait(atMost: .seconds(60)) == .woken)
    }
}
