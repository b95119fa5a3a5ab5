import Foundation
import TestHarness
import Testing

extension MountTests {
    @Suite("Take-over")
    struct TakeOverTests {
        private static func read(_ fixture: Fixture) throws -> Command {
            let reader = try Command([
                "cmp", "-n", "65536", fixture.fiction + "/Parked.bin", fixture.directory + "/content",
            ])
            fixture.expectEvent("park 0+")
            return reader
        }

        @Test("A reader that waits gets its bytes although the worker is killed", arguments: [SIGKILL, SIGSEGV])
        func survivesKill(_ signal: Int32) throws {
            try withFixture { (fixture) throws in
                let reader = try Self.read(fixture)
                for _ in 0..<3 { fixture.replaceWorker(signal: signal) }
                #expect(try Command.run("ls", "-l", fixture.fiction).status == 0)
                #expect(reader.isRunning)
                fixture.say("gate")
                #expect(reader.finish().status == 0)
            }
        }

        @Test("A worker that is asked to stop leaves its parked reads to the next")
        func survivesStop() throws {
            try withFixture { (fixture) throws in
                let old = fixture.worker
                let reader = try Self.read(fixture)
                fixture.say("stop")
                fixture.expectWorker(after: old)
                fixture.expectEvent("ended stopped")
                #expect(eventually { fixture.events.filter { $0.hasPrefix("park 0+") }.count >= 2 })
                #expect(reader.isRunning)
                fixture.say("gate")
                #expect(reader.finish().status == 0)
            }
        }

        @Test("A file that is open stays readable from worker to worker")
        func keepsOpenFiles() throws {
            try withFixture { (fixture) throws in
                let file = fixture.fiction + "/Content.bin"
                let reader = try Command([
                    "bash", "-c",
                    "exec 3<\(file); for i in $(seq 16); do dd bs=64K count=1 iflag=direct status=none <&3; sleep 0.05; done | cmp - \(fixture.directory)/content",
                ])
                fixture.expectEvent("open 17")
                while reader.isRunning, fixture.supervisor.isRunning {
                    // Long enough for a worker to start and to serve a while.
                    _ = eventually(within: .milliseconds(300)) { !reader.isRunning }
                    fixture.replaceWorker()
                }
                #expect(reader.finish().status == 0)
                fixture.expectEvent("release 17 18")
            }
        }

        @Test("A worker told to refuse what comes again answers it with an error, and serves what is new")
        func refusesPoison() throws {
            try withFixture("poison") { (fixture) throws in
                // A direct read, because a buffered one is asked for once more, page by page.
                let reader = try Command(["fuse-probe", "direct", fixture.fiction + "/Parked.bin"])
                fixture.expectEvent("park 0+4096")
                fixture.replaceWorker(signal: SIGSEGV)
                #expect(reader.finish().output == "read EIO\n")
                #expect(try Command.run("cat", fixture.fiction + "/Memory.txt").status == 0)
                fixture.say("gate")
            }
        }

        @Test("A buffered reader of what is refused learns of it at once, although the kernel asks once more")
        func refusesRepeatedPoison() throws {
            try withFixture("poison") { (fixture) throws in
                let reader = try Self.read(fixture)
                fixture.replaceWorker(signal: SIGSEGV)
                #expect(reader.finish().status != 0)
                fixture.say("gate")
            }
        }

        @Test("A worker whose supervisor was killed takes its place, and nobody who reads notices")
        func adoptsMount() throws {
            let fixture = try Fixture()
            defer { try? FileManager.default.removeItem(atPath: fixture.directory) }
            let reader = try Self.read(fixture)
            let old = fixture.worker
            kill(fixture.supervisor.processID, SIGKILL)
            #expect(fixture.supervisor.finish().status == SIGKILL)
            #expect(try Command.run("cat", fixture.fiction + "/Memory.txt").status == 0)
            fixture.say("adopt")
            fixture.expectWorker(after: old)
            fixture.replaceWorker()
            fixture.say("gate")
            #expect(reader.finish().status == 0)
            let worker = fixture.worker
            fixture.supervisor.closeInput()
            // The worker has become the supervisor, under its old number.
            #expect(eventually { kill(old, 0) != 0 && kill(worker, 0) != 0 })
            let mounts = try String(contentsOfFile: "/proc/mounts", encoding: .utf8)
            #expect(!mounts.contains(fixture.mountPoint))
        }

        @Test("Only FUSE is ever unmounted")
        func unmountsNothingElse() throws {
            let root = try Command.run("fuse-fixture", "unmount", "/proc")
            #expect(root.status == 1 && root.output.contains("Nothing is mounted"))
        }

        @Test("A killed supervisor and worker leave a dead mount, which is reported and can be cleaned up")
        func cleansUpDeadMount() throws {
            let fixture = try Fixture()
            defer { try? FileManager.default.removeItem(atPath: fixture.directory) }
            let worker = fixture.worker
            kill(fixture.supervisor.processID, SIGKILL)
            _ = fixture.supervisor.finish()
            kill(worker, SIGKILL)
            #expect(eventually { kill(worker, 0) != 0 })
            #expect(try Command.run("ls", fixture.mountPoint).output.contains("not connected"))
            let again = try Command.run("fuse-fixture", "supervise", fixture.directory, fixture.mountPoint)
            #expect(again.status == 32)
            #expect(again.output.contains("the mount of a driver that has died"))
            #expect(try Command.run("fuse-fixture", "unmount", fixture.mountPoint, "lazily").status == 0)
            #expect(try Command.run("ls", fixture.mountPoint).output.isEmpty)
            let last = try Command.run("fuse-fixture", "unmount", fixture.mountPoint)
            #expect(last.output.contains("Nothing is mounted") && last.status == 1)
        }

        @Test("A mount unmounted by somebody else ends the supervisor and the worker")
        func followsUnmount() throws {
            try withFixture { (fixture) throws in
                #expect(try Command.run("fuse-fixture", "unmount", fixture.mountPoint).status == 0)
                #expect(fixture.supervisor.finish().status == 0)
            }
        }

        @Test("A mount in use is reported busy, and detached when asked lazily")
        func unmountsLazily() throws {
            try withFixture { (fixture) throws in
                let user = try Command(["bash", "-c", "exec 3<\(fixture.fiction)/Memory.txt; read; cat <&3"])
                fixture.expectEvent("open 49")
                let busy = try Command.run("fuse-fixture", "unmount", fixture.mountPoint)
                #expect(busy.status == 1 && busy.output.contains("is in use"))
                #expect(user.isRunning)
                #expect(try Command.run("fuse-fixture", "unmount", fixture.mountPoint, "lazily").status == 0)
                #expect(fixture.supervisor.finish().status == 0)
            }
        }
    }
}
