import Foundation
import Testing

extension MountTests {
    @Suite("Refusals")
    struct RefusalTests {
        /// What a mount without the flag `ro` answers; EROFS is ours, everything else the kernel says before it asks.
        private static let expected = [
            "open-wronly": "EROFS", "open-rdwr": "EROFS", "open-trunc": "EROFS", "open-append": "EROFS",
            "open-create": "EROFS", "open-create-write": "EROFS", "open-create-existing": "ok",
            "open-exclusive-existing": "EEXIST", "open-tmpfile": "EOPNOTSUPP", "open-directory-write": "EISDIR",
            "truncate": "EROFS", "chmod": "EROFS", "chown": "EROFS", "utimensat": "EROFS", "mkdir": "EROFS",
            "mkdir-existing": "EEXIST", "mknod": "EROFS", "mkfifo": "EROFS", "mknod-device": "EROFS",
            "symlink": "EROFS", "link": "EROFS", "unlink": "EROFS", "rmdir": "EROFS", "rename": "EROFS",
            "rename-noreplace": "EROFS", "rename-exchange": "EROFS", "rename-in": "EXDEV", "rename-out": "EXDEV",
            "link-in": "EXDEV", "setxattr": "EROFS", "removexattr": "EROFS", "setxattr-acl": "EOPNOTSUPP",
            "access-write": "EROFS", "access-write-directory": "EROFS", "access-read": "ok",
            "access-execute": "EACCES", "access-execute-directory": "ok", "write": "EBADF", "ftruncate": "EINVAL",
            "fallocate": "EBADF", "fchmod": "EROFS", "fsync": "ok", "close": "ok",
        ]

        private static func probe(_ fixture: Fixture) throws -> [String: String] {
            let outcome = try Command.run(
                "fuse-probe", "writes", fixture.fiction, fixture.fiction + "/Memory.txt",
                fixture.fiction + "/Content.bin")
            #expect(outcome.status == 0)
            let pairs = outcome.lines.map { $0.split(separator: " ").map(String.init) }
            return Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
        }

        @Test("Every call that writes is refused with its error, and changes nothing")
        func refusesWrites() throws {
            try withFixture { (fixture) throws in
                let answers = try Self.probe(fixture)
                for (call, error) in Self.expected where geteuid() == 0 || call != "mknod-device" {
                    #expect(answers[call] == error, "\(call)")
                }
                #expect(answers.count == Self.expected.count)
                #expect(try Command.run("ls", fixture.fiction).lines.count == 4)
                #expect(try Command.run("cat", fixture.fiction + "/Memory.txt").output == "Written in memory.\n")
            }
        }

        @Test(
            "A mount that is visibly read-only is so before the kernel asks",
            .enabled(if: geteuid() == 0, "needs root"))
        func refusesOnReadOnlyMount() throws {
            try withFixture("clone") { (fixture) throws in
                let mounts = try String(contentsOfFile: "/proc/mounts", encoding: .utf8)
                #expect(mounts.contains("\(fixture.mountPoint) fuse.fixture ro,"))
                let answers = try Self.probe(fixture)
                let earlier = ["open-tmpfile": "EROFS", "setxattr-acl": "EROFS", "link-in": "EROFS"]
                for (call, error) in Self.expected.merging(earlier, uniquingKeysWith: { $1 }) {
                    #expect(answers[call] == error, "\(call)")
                }
            }
        }
    }
}
