import BookFileSystem
import Catalog
import FUSE
import Log
import Shelf
import Synchronization
import Testing

@Suite("Announcement")
struct AnnouncementTests {
    private let announcer = Caller(processID: 99, userID: 0, groupID: 0)

    @Test("Every change is announced by the call that matches it, in an order that works on a real tree")
    func calls() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1"), book("2"), book("3", category: "Poems")])
        try fixture.begin()
        try fixture.replace([book("1", byteCount: 9), book("2", title: "Renamed"), book("4", category: "Essays")])
        let mount = RecordedMount()
        try fixture.announce(on: mount)
        #expect(
            mount.calls.sorted() == [
                "mkdir Essays", "mknod Essays/Title 4.epub", "mknod Novels/Renamed.epub", "mknod Novels/Title 1.epub",
                "rmdir Poems", "unlink Novels/Title 1.epub", "unlink Novels/Title 2.epub", "unlink Poems/Title 3.epub",
            ])
        func place(_ call: String) throws -> Int { try #require(mount.calls.firstIndex(of: call)) }
        #expect(try place("unlink Poems/Title 3.epub") < place("rmdir Poems"))
        #expect(try place("mkdir Essays") < place("mknod Essays/Title 4.epub"))
        #expect(try place("unlink Novels/Title 1.epub") < place("mknod Novels/Title 1.epub"))
        #expect(fixture.board.announcedAnchor == fixture.board.invalidatedAnchor)
        // What was announced isn't announced again.
        try fixture.announce(on: mount)
        #expect(mount.calls.count == 8)
    }

    @Test("More changes of one directory than anybody watches for are left to the invalidation")
    func tooMany() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("0", category: "Poems")])
        try fixture.begin()
        try fixture.replace(
            [book("1", category: "Poems")] + (10...(10 + Announcer.maximumPerDirectory)).map { book("\($0)") })
        let mount = RecordedMount()
        try fixture.announce(on: mount)
        #expect(mount.calls.sorted() == ["mkdir Novels", "mknod Poems/Title 1.epub", "unlink Poems/Title 0.epub"])
    }

    @Test("The announcer alone may make and remove names, and only what it is announcing")
    func acceptance() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1")])
        let tree = try fixture.tree()
        let novels = try #require(try tree.entry("Novels", in: .root)).attributes.inode
        let file = try #require(try tree.entry("Title 1.epub", in: novels)).attributes
        let name = Array("Title 1.epub".utf8)
        fixture.board.announcerThread = announcer.processID
        fixture.board.publish(
            AnnouncementBoard.Operation(
                kind: .create, directory: novels, directoryName: Array("Novels".utf8), name: name, inode: file.inode))

        // The announcer doesn't see it yet, everybody else does.
        #expect(try tree.lookup(name.span, in: novels, caller: announcer) == .absent(validity: .zero))
        #expect(try tree.entry("Title 1.epub", in: novels)?.attributes == file)
        #expect(throws: Errno.readOnlyFileSystem) { try tree.makeNode(name.span, in: novels, caller: reader) }
        let other = Array("Other.epub".utf8)
        #expect(throws: Errno.readOnlyFileSystem) { try tree.makeNode(other.span, in: novels, caller: announcer) }
        #expect(throws: Errno.readOnlyFileSystem) { try tree.removeFile(name.span, in: novels, caller: announcer) }
        let made = try tree.makeNode(name.span, in: novels, caller: announcer)
        #expect(made == Entry(file, entryValidity: .zero, attributeValidity: .zero))

        fixture.board.withdraw()
        #expect(throws: Errno.readOnlyFileSystem) { try tree.makeNode(name.span, in: novels, caller: announcer) }
        #expect(try tree.entry("Title 1.epub", in: novels, by: announcer)?.attributes == file)
    }

    @Test("What is announced as gone is still there for the announcer, in a directory that is gone too")
    func removal() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1"), book("2", category: "Poems")])
        let tree = try fixture.tree()
        let poems = try #require(try tree.entry("Poems", in: .root)).attributes.inode
        let file = try #require(try tree.entry("Title 2.epub", in: poems)).attributes.inode
        try fixture.replace([book("1")])
        #expect(try tree.entry("Poems", in: .root) == nil)
        fixture.board.announcerThread = announcer.processID
        fixture.board.publish(
            AnnouncementBoard.Operation(
                kind: .remove, directory: poems, directoryName: Array("Poems".utf8),
                name: Array("Title 2.epub".utf8), inode: file))
        #expect(try tree.entry("Poems", in: .root, by: announcer)?.attributes.inode == poems)
        #expect(try tree.entry("Title 2.epub", in: poems, by: announcer)?.attributes.inode == file)
        #expect(try tree.entry("Poems", in: .root) == nil)
        let name = Array("Title 2.epub".utf8)
        try tree.removeFile(name.span, in: poems, caller: announcer)
    }

    @Test("While something waits to be announced, no name is taken for long")
    func pending() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1")])
        let tree = try fixture.tree()
        #expect(try tree.entry("Novels", in: .root)?.entryValidity == .seconds(86_400))
        fixture.board.announcerThread = announcer.processID
        fixture.board.invalidatedAnchor = SyncAnchor(rawValue: 5)
        #expect(try tree.entry("Novels", in: .root)?.entryValidity == .zero)
        fixture.board.announcedAnchor = SyncAnchor(rawValue: 5)
        #expect(try tree.entry("Novels", in: .root)?.entryValidity == .seconds(86_400))
    }
}

extension TreeFixture {
    /// Takes the catalog as it is for known to everybody.
    fileprivate func begin() throws {
        board.announcerThread = 99
        board.invalidatedAnchor = try readers().anchor()
        board.announcedAnchor = board.invalidatedAnchor
    }

    fileprivate func announce(on mount: RecordedMount) throws {
        board.invalidatedAnchor = try readers().anchor()
        Announcer(catalog: try readers(), board: board, mount: mount, log: .silent).announceDue()
    }
}

/// A mount that writes down what it is asked.
private final class RecordedMount: AnnouncedMount {
    private let recorded = Mutex<[String]>([])
    var calls: [String] { recorded.withLock { $0 } }

    func makeFile(_ path: String) -> Errno? { record("mknod \(path)") }
    func makeDirectory(_ path: String) -> Errno? { record("mkdir \(path)") }
    func removeFile(_ path: String) -> Errno? { record("unlink \(path)") }
    func removeDirectory(_ path: String) -> Errno? { record("rmdir \(path)") }

    private func record(_ call: String) -> Errno? {
        recorded.withLock { $0.append(call) }
        return nil
    }
}
