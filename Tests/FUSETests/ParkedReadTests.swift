import Foundation
import TestHarness
import Testing

extension MountTests {
    @Suite("Parked reads")
    struct ParkedReadTests {
        private static func cat(_ fixture: Fixture) throws -> Command {
            try Command(["cmp", "-n", "65536", fixture.fiction + "/Parked.bin", fixture.directory + "/content"])
        }

        @Test("Two hundred parked reads hold nobody up, and each gets its bytes")
        func parkedReadsDontBlock() throws {
            try withFixture { (fixture) throws in
                let file = fixture.fiction + "/Parked.bin"
                let readers = try (0..<200).map { _ in
                    try Command(["dd", "if=\(file)", "iflag=direct", "bs=64K", "status=none"])
                }
                #expect(eventually { fixture.events.filter { $0.hasPrefix("park ") }.count == 200 })
                #expect(try Command.run("ls", "-l", fixture.fiction).status == 0)
                #expect(
                    try Command.run("cmp", fixture.directory + "/content", fixture.fiction + "/Content.bin").status == 0
                )
                #expect(readers.allSatisfy { $0.isRunning })
                fixture.say("gate")
                #expect(readers.allSatisfy { $0.finish().status == 0 })
            }
        }

        @Test(
            "Forty buffered readers that wait, each of another file, leave the reading of other files as fast as ever")
        func parkedReadAheadDoesntBlock() throws {
            try withFixture { (fixture) throws in
                let readers = try (0..<40).map { number in
                    try Command([
                        "cmp", "-n", "65536", "\(fixture.mountPoint)/Waiting/\(number).bin",
                        fixture.directory + "/content",
                    ])
                }
                #expect(eventually { fixture.events.filter { $0.hasPrefix("park 0+") }.count == 40 })
                let other = try Command.run("cmp", fixture.directory + "/content", fixture.fiction + "/Content.bin")
                #expect(other.status == 0)
                fixture.say("gate")
                #expect(readers.allSatisfy { $0.finish().status == 0 })
            }
        }

        @Test("A parked read is answered with the right bytes")
        func answersParkedRead() throws {
            try withFixture { (fixture) throws in
                let reader = try Self.cat(fixture)
                fixture.expectEvent("park 0+")
                fixture.say("gate")
                #expect(reader.finish().status == 0)
            }
        }

        @Test("A direct reader that is killed is gone at once, and its owner is told once")
        func interruptsDirectRead() throws {
            try withFixture { (fixture) throws in
                let reader = try Command(["fuse-probe", "direct", fixture.fiction + "/Parked.bin"])
                fixture.expectEvent("park 0+4096")
                kill(reader.processID, SIGKILL)
                #expect(reader.finish().status == SIGKILL)
                fixture.expectEvent("interrupt")
                fixture.expectEvent("release 33 34")
                fixture.say("gate")
                #expect(try Command.run("cat", fixture.fiction + "/Memory.txt").status == 0)
                #expect(fixture.events.filter { $0 == "interrupt" }.count == 1)
            }
        }

        @Test("Readers interrupted while their reads are being answered leave the driver alive")
        func survivesRaces() throws {
            try withFixture { (fixture) throws in
                let worker = fixture.worker
                for round in 0..<20 {
                    let readers = try (0..<5).map { _ in
                        try Command(["fuse-probe", "direct", fixture.fiction + "/Parked.bin"])
                    }
                    #expect(eventually { fixture.events.filter { $0.hasPrefix("park ") }.count >= 1 })
                    fixture.say("gate")
                    for reader in readers { kill(reader.processID, SIGKILL) }
                    for reader in readers { _ = reader.finish() }
                    try FileManager.default.removeItem(atPath: fixture.directory + "/gate")
                    #expect(fixture.worker == worker, "round \(round)")
                }
                #expect(try Command.run("cat", fixture.fiction + "/Memory.txt").status == 0)
                fixture.say("gate")
            }
        }

        @Test("An unmount ends those who wait")
        func unmountEndsWaiting() throws {
            try withFixture { (fixture) throws in
                let reader = try Self.cat(fixture)
                fixture.expectEvent("park 0+")
                fixture.supervisor.closeInput()
                #expect(reader.finish().status != 0)
            }
        }
    }
}
