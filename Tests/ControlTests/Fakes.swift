import Control
import Foundation
import JSON
import Log
import Synchronization
import TestHarness
import Testing

/// Runs with the path of a socket in a private directory of its own.
func withSocketPath(_ body: (String) throws -> Void) throws {
    let directory = "/tmp/control-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try body("\(directory)/a.sock")
}

/// A listener that has started.
func listen(
    at path: String, _ handler: any ControlHandler, limits: ControlLimits = ControlLimits()
) throws -> ControlListener {
    let listener = try ControlListener(
        ListeningSocket(bindingAt: path), handler: handler, log: .silent, limits: limits)
    listener.start()
    return listener
}

/// Waits for something that must come, and records an issue instead of hanging.
func expectSoon(sourceLocation: SourceLocation = #_sourceLocation, _ isTrue: () -> Bool) {
    if !eventually(isTrue) { Issue.record("not within ten seconds", sourceLocation: sourceLocation) }
}

/// A driver that does what the test says.
struct ScriptedHandler: ControlHandler {
    typealias Script =
        @Sendable (
            ControlRequest, (ControlProgress) -> Void, () -> Bool
        ) throws(ControlRefusal) -> JSONValue

    private let script: Script

    init(_ script: @escaping Script) {
        self.script = script
    }

    func answer(
        _ request: ControlRequest, progress: (ControlProgress) -> Void, isAbandoned: () -> Bool
    ) throws(ControlRefusal) -> JSONValue {
        try script(request, progress, isAbandoned)
    }
}

/// Keeps what threads add.
final class Recorder<Value: Sendable>: Sendable {
    private let state = Mutex<[Value]>([])
    var values: [Value] { state.withLock { $0 } }

    func add(_ value: Value) {
        state.withLock { $0.append(value) }
    }
}

/// Counts what is logged.
final class RecordedLines: LogSink {
    private let lines = Recorder<[UInt8]>()
    var count: Int { lines.values.count }

    func write(_ line: [UInt8]) {
        lines.add(line)
    }
}

/// Holds threads until the test lets them go.
final class Gate: Sendable {
    private let entered = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    func enter() {
        entered.signal()
    }

    func enterAndWait() {
        entered.signal()
        _ = opened.wait(timeout: .now() + 10)
    }

    func waitUntilEntered() {
        #expect(entered.wait(timeout: .now() + 10) == .success)
    }

    func open() {
        opened.signal()
    }
}

/// A command that speaks bytes rather than messages.
final class RawCommand {
    private let descriptor: CInt

    init(path: String) throws {
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }

    /// Ends both directions, as a killed command would.
    func end() {
        shutdown(descriptor, CInt(SHUT_RDWR))
    }

    /// What comes until the other end closes, or says nothing for ten seconds.
    func receiveAll() -> String {
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += chunk.prefix(count)
        }
    }
}

/// Takes a connection and closes it at once; `false` if there is none.
func acceptAndClose(_ listener: CInt) -> Bool {
    let descriptor = accept(listener, nil, nil)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
}
