import Foundation
import TestHarness
import Testing

extension MountTests {
    @Suite("Notifications")
    struct NotificationTests {
        @Test("A changed size is seen once the kernel is told, although the old one was valid for an hour")
        func invalidatesAttributes() throws {
            try withFixture { (fixture) throws in
                let stat = ["stat", "-c", "%s", fixture.fiction + "/Memory.txt"]
                #expect(try Command(stat).finish().output == "19\n")
                fixture.say("grow")
                fixture.expectEvent("grown")
                #expect(try Command(stat).finish().output == "300\n")
            }
        }

        @Test("A new name and a deleted one are seen at once, where listing and absence were cached")
        func invalidatesNames() throws {
            try withFixture { (fixture) throws in
                #expect(try Command.run("ls", fixture.fiction).lines.count == 4)
                #expect(try Command.run("cat", fixture.fiction + "/Added.bin").status == 1)
                fixture.say("add")
                fixture.expectEvent("added")
                #expect(try Command.run("ls", fixture.fiction).lines.contains("Added.bin"))
                #expect(try Command.run("stat", "-c", "%i", fixture.fiction + "/Added.bin").output == "97\n")
                fixture.say("delete")
                fixture.expectEvent("deleted")
                #expect(try Command.run("stat", fixture.fiction + "/Added.bin").status == 1)
                #expect(try Command.run("ls", fixture.fiction).lines.count == 4)
            }
        }

        /// Makes a change on the mount as the announcer, while somebody watches.
        private static func announce(through directory: String, on fixture: Fixture) throws {
            let watcher = try Command(["fuse-probe", "watch", fixture.fiction])
            #expect(eventually { watcher.printed.contains("watching ok") })
            let made = try Command.run("fuse-probe", "announce", fixture.directory, directory, "create", "New.bin")
            #expect(made.output == "announce ok\n")
            #expect(eventually { watcher.printed.contains("CREATE New.bin") })
            fixture.expectEvent("mknod New.bin")
            let other = try Command.run("rm", "-f", fixture.fiction + "/New.bin")
            #expect(other.output.contains("Read-only file system"))
            let removed = try Command.run("fuse-probe", "announce", fixture.directory, directory, "unlink", "New.bin")
            #expect(removed.output == "announce ok\n")
            #expect(eventually { watcher.printed.contains("DELETE New.bin") })
            fixture.expectEvent("unlink New.bin")
        }

        @Test("What the announcer does on the mount reaches the file system and those who watch")
        func announcesOnMount() throws {
            try withFixture { (fixture) throws in
                try Self.announce(through: fixture.fiction, on: fixture)
            }
        }

        @Test(
            "Through a writable clone the announcer reaches those who watch a read-only mount",
            .enabled(if: geteuid() == 0, "needs root"))
        func announcesThroughClone() throws {
            try withFixture("clone") { (fixture) throws in
                let line = fixture.supervisor.printed.split(separator: "\n").last { $0.hasPrefix("clone ") }
                let fields = try #require(line).split(separator: " ")
                try Self.announce(through: "/proc/\(fields[1])/fd/\(fields[2])/Fiction", on: fixture)
            }
        }
    }
}
