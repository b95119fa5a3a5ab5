import BookFileSystem
import Catalog
import FUSE
import Shelf
import Testing

@Suite("Search directories")
struct SearchDirectoryTests {
    private func index(_ fixture: TreeFixture) throws {
        _ = try SearchIndexer(catalogPath: fixture.catalogPath).bringUpToDate(waitingAtMost: .seconds(10))
    }

    @Test("A search is a directory of what it finds, with the numbers that books have elsewhere")
    func lookup() throws {
        let fixture = try TreeFixture()
        try fixture.replace([
            book("1", title: "Winter"), book("2", title: "Summer"), book("3", title: "Winter", category: "Poems"),
        ])
        try index(fixture)
        let tree = try fixture.tree()
        let root = try #require(try tree.entry(".search", in: .root)).attributes
        #expect((root.kind, root.permissions) == (.directory, 0o755))
        let search = try #require(try tree.entry("winter", in: root.inode))
        #expect((search.entryValidity, search.attributeValidity) == (.zero, .zero))
        #expect(search.attributes.byteCount > 0)
        let found = try #require(try tree.entry("Winter.epub", in: search.attributes.inode))
        let novels = try #require(try tree.entry("Novels", in: .root)).attributes.inode
        #expect(found.attributes == (try tree.entry("Winter.epub", in: novels))?.attributes)
        #expect(found.entryValidity == .zero)
        #expect(try tree.entry("Winter (2).epub", in: search.attributes.inode) != nil)
        #expect(try tree.entry("Summer.epub", in: search.attributes.inode) == nil)
        #expect(try tree.entry("..", in: search.attributes.inode)?.attributes.inode == root.inode)
        #expect(try tree.entry("..", in: root.inode)?.attributes.inode == .root)
        #expect(try tree.attributes(of: search.attributes.inode, caller: reader).attributes == search.attributes)
        #expect(try tree.openDirectory(search.attributes.inode, caller: reader).options == [])
    }

    @Test("Any text is a search, but for names that begin with a dot, which programs look for everywhere")
    func names() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1", title: "Winter")])
        try index(fixture)
        let tree = try fixture.tree()
        let root = try #require(try tree.entry(".search", in: .root)).attributes.inode
        for name in ["\"", "AND OR", "nothing", "*", " "] {
            let search = try #require(try tree.entry(name, in: root)).attributes
            #expect(search.kind == .directory)
            #expect(try tree.entry("Winter.epub", in: search.inode) == nil)
        }
        #expect(try tree.entry(".git", in: root) == nil)
        let ill: [UInt8] = [0x43, 0xE9]
        #expect(try tree.lookup(ill.span, in: root, caller: reader) == .absent(validity: .zero))
    }

    @Test("Without an index there is nothing in it; with the next look there is")
    func followsIndex() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1", title: "Winter")])
        let tree = try fixture.tree()
        let root = try #require(try tree.entry(".search", in: .root)).attributes.inode
        let search = try #require(try tree.entry("winter", in: root)).attributes.inode
        #expect(try tree.entry("Winter.epub", in: search) == nil)
        try index(fixture)
        #expect(try tree.entry("winter", in: root)?.attributes.inode == search)
        #expect(try tree.entry("Winter.epub", in: search) != nil)
        try fixture.replace([book("1", title: "Spring")])
        try index(fixture)
        _ = try tree.openDirectory(search, caller: reader)
        #expect(try tree.entry("Winter.epub", in: search) == nil)
    }

    @Test(
        "Of very many searches the last are remembered; a forgotten one is stale, and another number when looked up again"
    )
    func bounded() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1", title: "Winter")])
        try index(fixture)
        let tree = try fixture.tree()
        let root = try #require(try tree.entry(".search", in: .root)).attributes.inode
        let first = try #require(try tree.entry("winter", in: root)).attributes.inode
        for number in 0..<255 { _ = try tree.entry("q\(number)", in: root) }
        #expect(try tree.entry("Winter.epub", in: first) != nil)
        _ = try tree.entry("q255", in: root)
        #expect(try tree.entry("Winter.epub", in: first) != nil)
        for number in 300..<560 { _ = try tree.entry("q\(number)", in: root) }
        #expect(throws: Errno.staleHandle) { try tree.entry("Winter.epub", in: first) }
        #expect(throws: Errno.staleHandle) { try tree.attributes(of: first, caller: reader) }
        #expect(throws: Errno.staleHandle) { try tree.openDirectory(first, caller: reader) }
        let again = try #require(try tree.entry("winter", in: root)).attributes.inode
        #expect(again != first)
        #expect(try tree.entry("Winter.epub", in: again) != nil)
    }

    @Test("The next worker gives no number again, and what it doesn't know is stale")
    func nextWorker() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1", title: "Winter")])
        try index(fixture)
        let tree = try fixture.tree()
        let root = try #require(try tree.entry(".search", in: .root)).attributes.inode
        let before = try #require(try tree.entry("winter", in: root)).attributes.inode
        let next = try fixture.tree()
        #expect(throws: Errno.staleHandle) { try next.attributes(of: before, caller: reader) }
        #expect(try next.entry(".search", in: .root)?.attributes.inode == root)
        let other = try #require(try next.entry("summer", in: root)).attributes.inode
        #expect(other != before)
        #expect(throws: Errno.staleHandle) { try next.entry("Winter.epub", in: before) }
    }
}
