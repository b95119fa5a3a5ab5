import Foundation
import TestHarness
import Testing

extension MountTests {
    /// The rules of the kernel that passthrough is built on.
    @Suite("Passthrough")
    struct PassthroughTests {
        private static let isRoot = geteuid() == 0

        /// Whether the kernel offers it; a mount that doesn't ask has it not.
        private static func isOffered(_ fixture: Fixture) -> Bool {
            fixture.supervisor.printed.contains("passthrough true true")
        }

        @Test("A mount that doesn't ask for passthrough has it not, and hands the kernel no file")
        func notAsked() throws {
            try withFixture { (fixture) throws in
                #expect(fixture.supervisor.printed.contains(/passthrough (true|false) false/))
                fixture.say("pass")
                let read = try Command.run("cmp", fixture.fiction + "/Content.bin", fixture.directory + "/content")
                #expect(read.status == 0)
                fixture.expectEvent("register ")
                fixture.expectEvent("read 17")
            }
        }

        @Test("What the kernel reads by itself never asks the file system", .enabled(if: isRoot, "needs root"))
        func readsByItself() throws {
            try withFixture("passthrough") { (fixture) throws in
                guard Self.isOffered(fixture) else { return print("skipped: the kernel offers no passthrough (6.9)") }
                fixture.say("pass")
                let file = fixture.fiction + "/Content.bin"
                for _ in 0..<3 {
                    #expect(try Command.run("cmp", file, fixture.directory + "/content").status == 0)
                    #expect(try Command.run("dd", "if=" + file, "of=/dev/null", "iflag=direct", "bs=64K").status == 0)
                }
                #expect(try Command.run("cat", fixture.fiction + "/Memory.txt").status == 0)
                fixture.expectEvent("read 49")
                fixture.expectEvent("release 17 18")
                #expect(!fixture.events.contains("read 17"))
            }
        }

        @Test("A number outlives the worker that registered it", .enabled(if: isRoot, "needs root"))
        func outlivesWorker() throws {
            try withFixture("passthrough") { (fixture) throws in
                guard Self.isOffered(fixture) else { return print("skipped: the kernel offers no passthrough (6.9)") }
                fixture.say("pass")
                let file = fixture.fiction + "/Content.bin"
                let reader = try Command(["bash", "-c", "exec 3<\(file); read; cmp - \(fixture.directory)/content <&3"])
                fixture.expectEvent("open 17")
                fixture.replaceWorker()
                reader.closeInput()
                #expect(reader.finish().status == 0)
                #expect(!fixture.events.contains("read 17"))
            }
        }

        @Test("The kernel refuses to open a file in both modes at once", .enabled(if: isRoot, "needs root"))
        func refusesMixing() throws {
            try withFixture("passthrough") { (fixture) throws in
                guard Self.isOffered(fixture) else { return print("skipped: the kernel offers no passthrough (6.9)") }
                let file = fixture.fiction + "/Content.bin"
                let reader = try Command(["bash", "-c", "exec 3<\(file); read; cmp - \(fixture.directory)/content <&3"])
                fixture.expectEvent("open 17")
                fixture.say("pass")
                let mixed = try Command.run("cat", file)
                #expect(mixed.status == 1 && mixed.output.contains("Input/output error"))
                reader.closeInput()
                #expect(reader.finish().status == 0)
                #expect(eventually { fixture.events.filter { $0 == "release 17 18" }.count == 2 })
                #expect(try Command.run("cmp", file, fixture.directory + "/content").status == 0)
            }
        }
    }
}
