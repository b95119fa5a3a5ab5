import Foundation
import TestHarness
import Testing

extension MountTests {
    @Suite("Tree")
    struct TreeTests {
        @Test("Listings, attributes and content are those of the file system")
        func showsTree() throws {
            try withFixture { (fixture) throws in
                let listing = try Command.run("ls", "-lR", "--time-style=+%s", fixture.fiction)
                #expect(listing.status == 0)
                #expect(listing.output.contains("1048576 1600000000 Content.bin"))
                let status = try Command.run("stat", "-c", "%i %a %h %s %b %Y %F", fixture.fiction + "/Memory.txt")
                #expect(status.output == "49 444 1 19 1 1600000000 regular file\n")
                let directory = try Command.run("stat", "-c", "%i %a %F", fixture.fiction)
                #expect(directory.output == "16 755 directory\n")
                #expect(try Command.run("cat", fixture.fiction + "/Memory.txt").output == "Written in memory.\n")
                #expect(try Command.run("ls", fixture.mountPoint + "/Nowhere").status == 2)
                #expect(try Command.run("stat", "-fc", "%b %S %c", fixture.mountPoint).output == "1000 4096 10006\n")
            }
        }

        @Test("A file's bytes arrive as they are on disk, in any block size")
        func copiesBytes() throws {
            try withFixture { (fixture) throws in
                let file = fixture.fiction + "/Content.bin"
                #expect(try Command.run("cmp", fixture.directory + "/content", file).status == 0)
                let parts = try Command.run(
                    "bash", "-c", "dd if=\(file) bs=7777 status=none | cmp - \(fixture.directory)/content")
                #expect(parts.status == 0)
                let direct = try Command.run(
                    "bash", "-c", "dd if=\(file) bs=64K iflag=direct status=none | cmp - \(fixture.directory)/content")
                #expect(direct.status == 0)
            }
        }

        @Test("A directory of 10,000 files is listed whole, and the second time from the kernel's memory")
        func listsManyFiles() throws {
            try withFixture { (fixture) throws in
                let many = fixture.mountPoint + "/Many"
                let first = try Command.run("find", many, "-type", "f", "-printf", "%s\n")
                #expect(Set(first.lines.compactMap { Int($0) }) == Set(0..<10_000))
                let count = fixture.events.filter { $0.hasPrefix("list 32") }.count
                #expect(count > 0)
                #expect(try Command.run("ls", many).lines.count == 10_000)
                #expect(fixture.events.filter { $0.hasPrefix("list 32") }.count == count)
            }
        }

        @Test("A name that isn't there is asked for once while its absence is valid")
        func remembersAbsence() throws {
            try withFixture { (fixture) throws in
                let long = fixture.fiction + "/" + String(repeating: "x", count: 256)
                #expect(try Command.run("stat", long).output.contains("File name too long"))
                for _ in 0..<3 { #expect(try Command.run("cat", fixture.fiction + "/Missing").status == 1) }
                #expect(fixture.events.filter { $0 == "absent Missing" }.count == 1)
            }
        }

        @Test("A file that has become shorter than its size is an error, never a short read")
        func refusesShortFile() throws {
            try withFixture { (fixture) throws in
                let copy = try Command.run(
                    "bash", "-c", "cat \(fixture.fiction)/Broken.bin | cmp -n 1048576 - \(fixture.directory)/content")
                #expect(copy.output.contains("Input/output error"))
                let tail = try Command.run(
                    "dd", "if=\(fixture.fiction)/Broken.bin", "bs=1M", "skip=1", "status=none", "of=/dev/null")
                #expect(tail.status == 1)
            }
        }

        @Test("Each open is given back once, with its handle")
        func releasesHandles() throws {
            try withFixture { (fixture) throws in
                let before = fixture.workerDescriptorCount
                for _ in 0..<20 { _ = try Command.run("cat", fixture.fiction + "/Memory.txt") }
                #expect(eventually { fixture.events.filter { $0 == "release 49 50" }.count == 20 })
                #expect(fixture.events.filter { $0 == "open 49" }.count == 20)
                // A pipe for splicing for each of the four threads.
                #expect(fixture.workerDescriptorCount <= before + 8)
            }
        }

        @Test("Attributes are read with the sizes that callers probe with")
        func readsExtendedAttributes() throws {
            try withFixture { (fixture) throws in
                let file = fixture.fiction + "/Memory.txt"
                let names = ["names-size 26", "names-small ERANGE", "user.mime_type", "user.empty"]
                #expect(
                    try Command.run("fuse-probe", "attribute", file, "user.mime_type").lines
                        == ["size 10", "small ERANGE", "value 10", "text/plain"] + names)
                #expect(
                    try Command.run("fuse-probe", "attribute", file, "user.empty").lines
                        == ["size 0", "small 0", "value 0"] + names)
                #expect(
                    try Command.run("fuse-probe", "attribute", file, "user.none").lines
                        == ["size ENODATA", "small ENODATA", "value ENODATA"] + names)
            }
        }

        @Test("A file has data up to its end and no hole before it")
        func seeksDataAndHoles() throws {
            try withFixture { (fixture) throws in
                #expect(
                    try Command.run("fuse-probe", "seek", fixture.fiction + "/Memory.txt").lines == [
                        "end 19", "data-0 0", "data-7 7", "data-end ENXIO", "hole-0 19", "hole-end ENXIO",
                        "hole-beyond ENXIO",
                    ])
            }
        }

        @Test("A handle opens its file after the kernel has forgotten it", .enabled(if: geteuid() == 0, "needs root"))
        func opensByHandle() throws {
            try withFixture { (fixture) throws in
                #expect(
                    try Command.run("fuse-probe", "handle", fixture.fiction + "/Content.bin").lines == [
                        "name_to_handle_at ok", "drop_caches ok", "handle-open ok", "handle-read 16",
                    ])
            }
        }

        @Test("Files can be mapped, privately and shared, but not for writing")
        func mapsFiles() throws {
            try withFixture { (fixture) throws in
                #expect(
                    try Command.run("fuse-probe", "map", fixture.fiction + "/Content.bin").lines == [
                        "map-private ok", "map-shared ok", "map-shared-write EACCES", "map-equal ok",
                    ])
            }
        }

        @Test("Locks work between programs of this machine, and device controls are refused")
        func locksLocally() throws {
            try withFixture { (fixture) throws in
                #expect(
                    try Command.run("fuse-probe", "locks", fixture.fiction + "/Content.bin").lines == [
                        "flock ok", "flock-held EAGAIN", "flock-free ok", "fcntl ok", "ioctl ENOTTY",
                        "ioctl-setflags ENOTTY",
                    ])
            }
        }
    }
}
