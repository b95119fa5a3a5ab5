import FUSE
import Foundation
import TestHarness
import Testing

@Suite("Callers")
struct CallerTests {
    private func name(of process: Int32) -> String? {
        Caller(processID: process, userID: 0, groupID: 0).programName
    }

    /// Runs a copy of cat(1) under a name, reading from a pipe with a name, so that it stays.
    private func withCopy(_ name: String, _ body: (Int32, URL) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "caller-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let program = directory.appending(path: name)
        try FileManager.default.copyItem(at: URL(filePath: "/bin/cat"), to: program)
        let pipe = directory.appending(path: "thumbnail.so").path
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        let process = Process()
        process.executableURL = program
        process.arguments = [pipe]
        try process.run()
        defer {
            // Nothing gentler: threads of a test hold signals back, and children inherit that.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        try body(process.processIdentifier, program)
    }

    @Test("A program is called as its executable is, also after that was removed")
    func executable() throws {
        try withCopy("tumblerd") { process, program in
            #expect(name(of: process) == "tumblerd")
            try FileManager.default.removeItem(at: program)
            #expect(name(of: process) == "tumblerd")
        }
    }

    @Test("A program that only loads a plugin is called as that is", arguments: ["kioslave5", "kioworker"])
    func plugin(_ loader: String) throws {
        try withCopy(loader) { process, _ in
            // A program has its executable a moment before it has its arguments.
            #expect(eventually { name(of: process) == "thumbnail.so" }, "\(name(of: process) ?? "no name")")
        }
    }

    @Test("A thread has the name of its process, whatever it calls itself, and nobody has none")
    func threads() throws {
        let own = name(of: getpid())
        #expect(own != nil)
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap(Int32.init)
        #expect(threads.count > 1)
        #expect(threads.allSatisfy { thread in name(of: thread).map { $0 == own } ?? true })
        #expect(name(of: 0) == nil)
        #expect(name(of: .max) == nil)
    }
}
