import FUSE
import Testing

@Suite("The table of mounts")
struct MountTableTests {
    @Test("A line gives path, type, source and owner, with their blanks, whatever tags it has")
    func line() throws {
        for tags in ["", "shared:5 ", "shared:5 master:1 "] {
            let before = "61 30 0:52 / /home/ann/My\\040Shelf ro,nosuid \(tags)"
            let line = before + "- fuse.bookshelf default rw,user_id=1000,group_id=1000"
            let mount = try #require(VisibleMount(line: line[...]))
            #expect(mount.path == "/home/ann/My Shelf")
            #expect(mount.type == "fuse.bookshelf")
            #expect(mount.source == "default")
            #expect(mount.ownerID == 1000)
        }
    }

    @Test(
        "What isn't a mount of FUSE is none",
        arguments: ["", "x", "1 2 3 4 5 6 - fuse", "61 30 0:52 / /mnt rw shared:1 - ext4 /dev/sda rw"])
    func others(_ line: String) {
        #expect(VisibleMount(line: line[...]) == nil)
    }
}
