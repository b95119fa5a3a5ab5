import Control
import Foundation
import JSON
import Testing

@Suite("Listening socket")
struct ListeningSocketTests {
    @Test("The socket file is private")
    func mode() throws {
        try withSocketPath { path in
            let socket = try ListeningSocket(bindingAt: path)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            #expect(fcntl(socket.descriptor, F_GETFD) == FD_CLOEXEC)
            ListeningSocket.removeFile(at: path)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("A file that a dead driver left is replaced, one where a driver listens is not")
    func stale() throws {
        try withSocketPath { path in
            do { _ = try ListeningSocket(bindingAt: path) }
            let second = try ListeningSocket(bindingAt: path)
            #expect(throws: ControlError.inUse(path: path)) { _ = try ListeningSocket(bindingAt: path) }
            // Nobody takes it from the queue: what is heard is that somebody listens and says nothing.
            #expect(throws: ControlError.silent) {
                try ControlClient(path: path).send(.status, silence: .milliseconds(10))
            }
            _ = second.descriptor
        }
    }

    @Test("Of many drivers that start at once over a stale file, one gets the socket")
    func race() throws {
        try withSocketPath { path in
            do { _ = try ListeningSocket(bindingAt: path) }
            let outcomes = Recorder<String>()
            let group = DispatchGroup()
            let gate = Gate()
            for _ in 0..<4 {
                DispatchQueue.global().async(group: group) {
                    do throws(ControlError) {
                        let socket = try ListeningSocket(bindingAt: path)
                        outcomes.add("bound")
                        gate.enterAndWait()
                        _ = socket.descriptor
                    } catch {
                        outcomes.add(error == .inUse(path: path) ? "in use" : error.reason)
                    }
                }
            }
            expectSoon { outcomes.values.count == 4 }
            gate.open()
            #expect(group.wait(timeout: .now() + 10) == .success)
            #expect(outcomes.values.sorted() == ["bound", "in use", "in use", "in use"])
        }
    }

    @Test("A file that isn't a socket is left where it is")
    func otherFile() throws {
        try withSocketPath { path in
            try "text".write(toFile: path, atomically: false, encoding: .utf8)
            let error = #expect(throws: ControlError.self) { _ = try ListeningSocket(bindingAt: path) }
            #expect(error?.reason.contains("something else than a socket") == true)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "text")
        }
    }

    @Test("A directory that others can enter, or that isn't there, is refused")
    func directory() throws {
        try withSocketPath { path in
            let directory = (path as NSString).deletingLastPathComponent
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory)
            let error = #expect(throws: ControlError.self) { _ = try ListeningSocket(bindingAt: path) }
            #expect(error?.reason.contains("chmod 700 \(directory)") == true)
            #expect(throws: ControlError.self) { _ = try ListeningSocket(bindingAt: "\(directory)/no/a.sock") }
        }
    }

    @Test(
        "A path of more than 107 bytes, or none, is refused",
        arguments: ["", "/tmp/" + String(repeating: "x", count: 103)])
    func longPath(_ path: String) {
        let error = #expect(throws: ControlError.self) { _ = try ListeningSocket(bindingAt: path) }
        #expect(error?.reason.contains("bytes") == true)
        #expect(throws: ControlError.self) { try ControlClient(path: path).send(.status) }
    }

    @Test("What isn't a listening socket can't be adopted")
    func adopting() {
        #expect(throws: ControlError.self) { _ = try ListeningSocket(adopting: 0) }
        #expect(throws: ControlError.self) { _ = try ListeningSocket(adopting: 9999) }
    }

    @Test(
        "A command of another user is turned away",
        .enabled(
            if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"),
            "needs root and python3"))
    func otherUser() throws {
        try withSocketPath { path in
            let listener = try listen(at: path, ScriptedHandler { _, _, _ in "secret" })
            // Opened wide, so that only the check of the listener is left.
            let directory = (path as NSString).deletingLastPathComponent
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory)
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
            let script = """
                import os, socket, sys
                os.setuid(int(sys.argv[2]))
                s = socket.socket(socket.AF_UNIX)
                s.settimeout(10)
                s.connect(sys.argv[1])
                try:
                    s.sendall(b'{"request":"status"}\\n')
                    sys.stdout.write(s.recv(1000).decode())
                except (BrokenPipeError, ConnectionResetError):
                    pass
                """
            func answer(asUser user: String) throws -> String {
                let process = Process()
                process.executableURL = URL(filePath: "/usr/bin/python3")
                process.arguments = ["-c", script, path, user]
                let output = Pipe()
                process.standardOutput = output
                try process.run()
                process.waitUntilExit()
                #expect(process.terminationStatus == 0)
                return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            }
            #expect(try answer(asUser: "0") == "{\"answer\":\"secret\"}\n")
            #expect(try answer(asUser: "65534") == "")
            #expect(listener.stop())
        }
    }
}
