import Foundation
import TestHarness
import Testing

/// A mount of `fuse-fixture`, served by processes of its own and gone with ``end()``.
final class Fixture {
    /// Whether this machine and user can mount at all.
    static let canMount = unsafe access("/dev/fuse", R_OK | W_OK) == 0

    /// With the files by which the fixture and a test talk.
    let directory: String
    let mountPoint: String
    let supervisor: Command

    /// Of the file that reads are answered from.
    let content: Data

    init(_ options: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let parent = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-tests.\(UUID().uuidString)")
        directory = parent.path
        mountPoint = parent.appendingPathComponent("mount").path
        try FileManager.default.createDirectory(atPath: mountPoint, withIntermediateDirectories: true)
        let random = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
        content = try #require(try random.read(upToCount: 1 << 20))
        try content.write(to: parent.appendingPathComponent("content"))
        supervisor = try Command(["fuse-fixture", "supervise", directory, mountPoint] + options)
        let isReady = eventually { supervisor.printed.contains("ready") || !supervisor.isRunning }
        #expect(isReady && supervisor.isRunning, "\(supervisor.printed)", sourceLocation: sourceLocation)
    }

    var fiction: String { mountPoint + "/Fiction" }

    /// What the file system wrote down, a line each.
    var events: [String] {
        let text = (try? String(contentsOfFile: directory + "/events", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// The worker that serves now.
    var worker: pid_t {
        let line = supervisor.printed.split(separator: "\n").last { $0.hasPrefix("worker ") }
        return line.flatMap { pid_t($0.dropFirst(7)) } ?? 0
    }

    /// How many descriptors the worker has open.
    var workerDescriptorCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(worker)/fd").count) ?? 0
    }

    /// Tells the fixture something by the presence of a file.
    func say(_ word: String) {
        let isSaid = FileManager.default.createFile(atPath: directory + "/" + word, contents: nil)
        #expect(isSaid, "\(word)")
    }

    /// Waits until the file system has written down an event.
    func expectEvent(
        _ event: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let happened = eventually { events.contains { $0.hasPrefix(event) } }
        #expect(happened, "no \(event) in \(events.suffix(5))", sourceLocation: sourceLocation)
    }

    /// Kills the worker and waits for the next.
    func replaceWorker(signal: Int32 = SIGKILL, sourceLocation: SourceLocation = #_sourceLocation) {
        let old = worker
        kill(old, signal)
        expectWorker(after: old, sourceLocation: sourceLocation)
    }

    func expectWorker(after old: pid_t, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(eventually { worker != old }, "no next worker", sourceLocation: sourceLocation)
    }

    /// Unmounts, and expects that nothing is left: no mount, no process, no parked descriptor.
    func end(sourceLocation: SourceLocation = #_sourceLocation) {
        let workers = supervisor.printed.split(separator: "\n").compactMap { line in
            line.hasPrefix("worker ") ? pid_t(line.dropFirst(7)) : nil
        }
        supervisor.closeInput()
        let outcome = supervisor.finish(sourceLocation: sourceLocation)
        #expect(outcome.status == 0, "\(outcome.output)", sourceLocation: sourceLocation)
        let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
        #expect(!mounts.contains(mountPoint), "still mounted", sourceLocation: sourceLocation)
        if mounts.contains(mountPoint) { _ = try? Command.run("umount", "-l", mountPoint) }
        for worker in workers {
            #expect(eventually { kill(worker, 0) != 0 }, "worker \(worker) is left", sourceLocation: sourceLocation)
        }
        try? FileManager.default.removeItem(atPath: directory)
    }
}

/// Runs a test on a mount, and ends the mount whatever happens.
func withFixture(
    _ options: String..., sourceLocation: SourceLocation = #_sourceLocation, body: (Fixture) throws -> Void
) throws {
    let fixture: Fixture
    switch options.count {
    case 0: fixture = try Fixture(sourceLocation: sourceLocation)
    default: fixture = try Fixture(options[0], sourceLocation: sourceLocation)
    }
    defer { fixture.end(sourceLocation: sourceLocation) }
    try body(fixture)
}
