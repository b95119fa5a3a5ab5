import BookFileSystem
import FUSE
import Shelf
import Testing

@Suite("Book tree")
struct BookTreeTests {
    @Test("A placeholder has the size and the date of the whole book")
    func attributes() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1")])
        let tree = try fixture.tree()
        let novels = try #require(try tree.entry("Novels", in: .root)).attributes
        let found = try #require(try tree.entry("Title 1.epub", in: novels.inode)).attributes
        #expect(found.byteCount == 1_000)
        #expect(found.modifiedAt == Timestamp(seconds: 86_400))
        #expect((found.permissions, found.linkCount) == (0o444, 1))
        #expect((found.userID, found.groupID) == (1_000, 1_001))
        #expect((novels.permissions, novels.kind) == (0o755, .directory))
        #expect(novels.byteCount > 0)
        #expect(try tree.attributes(of: found.inode, caller: reader).attributes == found)
    }

    @Test("Dot and dot-dot are found, as programs that open by handle ask for them")
    func dots() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1")])
        let tree = try fixture.tree()
        let novels = try #require(try tree.entry("Novels", in: .root)).attributes.inode
        let file = try #require(try tree.entry("Title 1.epub", in: novels)).attributes.inode
        #expect(try tree.entry(".", in: novels)?.attributes.inode == novels)
        #expect(try tree.entry("..", in: novels)?.attributes.inode == .root)
        #expect(try tree.entry("..", in: .root)?.attributes.inode == .root)
        #expect(try tree.entry(".", in: file)?.attributes.inode == file)
        #expect(throws: Errno.notADirectory) { try tree.entry("x", in: file) }
    }

    @Test("Names are compared byte for byte: another case or form is another name")
    func exactNames() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1", title: "Café")])
        let tree = try fixture.tree()
        let novels = try #require(try tree.entry("Novels", in: .root)).attributes.inode
        #expect(try tree.entry("Caf\u{E9}.epub", in: novels) != nil)
        #expect(try tree.entry("Cafe\u{301}.epub", in: novels) == nil)
        #expect(try tree.entry("café.epub", in: novels) == nil)
        let ill: [UInt8] = [0x43, 0xE9]
        #expect(try tree.lookup(ill.span, in: novels, caller: reader) == .absent(validity: .seconds(86_400)))
    }

    @Test("Labels and access control lists are told not to exist at all, other attributes to be missing")
    func foreignAttributes() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1")])
        let tree = try fixture.tree()
        let novels = try #require(try tree.entry("Novels", in: .root)).attributes.inode
        let file = try #require(try tree.entry("Title 1.epub", in: novels)).attributes.inode
        for name in ["security.selinux", "system.posix_acl_access", "user"] {
            let bytes = Array(name.utf8)
            for inode in [novels, file] {
                #expect(throws: Errno.notSupported) {
                    try tree.extendedAttribute(bytes.span, of: inode, caller: reader)
                }
            }
        }
        let unknown = Array("user.unknown".utf8)
        #expect(throws: Errno.noData) { try tree.extendedAttribute(unknown.span, of: file, caller: reader) }
    }

    @Test("A number that stands for nothing is stale, whatever its kind")
    func stale() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1")])
        let tree = try fixture.tree()
        for number: UInt64 in [0, 7, 999 << 4 | 1, 999 << 4 | 2, 1 << 4 | 15] {
            #expect(throws: Errno.staleHandle) { try tree.attributes(of: Inode(rawValue: number), caller: reader) }
        }
    }

    @Test("The numbers of a book and of its directory stay; those of a new edition are new")
    func numbers() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1")])
        func numbers() throws -> (Inode, Inode) {
            let tree = try fixture.tree()
            let novels = try #require(try tree.entry("Novels", in: .root)).attributes.inode
            return (novels, try #require(try tree.entry("Title 1.epub", in: novels)).attributes.inode)
        }
        let before = try numbers()
        try fixture.replace([book("1"), book("2")])
        #expect(try numbers() == before)
        try fixture.replace([book("1", byteCount: 2_000), book("2")])
        let after = try numbers()
        #expect(after.0 == before.0)
        #expect(after.1 != before.1)
        // Who holds the old one open still learns its size.
        #expect(try fixture.tree().attributes(of: before.1, caller: reader).attributes.byteCount == 1_000)
    }

    @Test("Opening brings no content, and counts the handle until it is given back")
    func counts() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1")])
        let tree = try fixture.tree()
        let novels = try #require(try tree.entry("Novels", in: .root)).attributes.inode
        let file = try #require(try tree.entry("Title 1.epub", in: novels)).attributes.inode
        let version = VersionID(rawValue: Int64(file.rawValue >> 4))
        let handle = try tree.open(file, flags: OpenFlags(rawValue: 0), caller: reader).handle
        #expect(fixture.openVersions.isOpen(version))
        tree.release(file, handle: handle)
        #expect(!fixture.openVersions.isOpen(version))
        #expect(throws: Errno.isADirectory) { try tree.open(novels, flags: OpenFlags(rawValue: 0), caller: reader) }
    }

    @Test("The total is that of the books on the shelf")
    func totals() throws {
        let fixture = try TreeFixture()
        try fixture.replace([book("1", byteCount: 5_000), book("2", byteCount: 3_192)])
        let statistics = try fixture.tree().statistics()
        #expect(statistics.blockCount * statistics.blockByteCount == 8_192)
        #expect((statistics.fileCount, statistics.freeBlockCount) == (2, 0))
    }
}
