import Control
import Foundation
import JSON
import Log
import Shelf
import TestHarness
import Testing

@Suite("Control")
struct ControlTests {
    @Test("A command gets how far the driver is, in order, and then the answer")
    func answers() throws {
        try withSocketPath { path in
            let handler = ScriptedHandler { request, progress, _ in
                var state = ControlProgress()
                state.totalCount = 2
                for count in 0...2 {
                    state.doneCount = count
                    state.subject = "红楼梦\n\"\(count)\""
                    progress(state)
                }
                return ["asked": request.json]
            }
            let listener = try listen(at: path, handler)
            var states: [ControlProgress] = []
            let request = ControlRequest.fetch([BookID(rawValue: 7), BookID(rawValue: 1 << 40)])
            let answer = try ControlClient(path: path).send(request) { states.append($0) }
            #expect(answer == ["asked": ["request": "fetch", "ids": [7, 1_099_511_627_776]]])
            #expect(states.map(\.doneCount) == [0, 1, 2])
            #expect(states.last?.subject == "红楼梦\n\"2\"")
            #expect(states.last?.totalCount == 2)
            #expect(states.last?.totalByteCount == nil)
            #expect(listener.stop())
        }
    }

    @Test("A refusal has the driver's reason")
    func refuses() throws {
        try withSocketPath { path in
            let refusal = ControlRefusal(reason: "no source is called “x”")
            let listener = try listen(at: path, ScriptedHandler { _, _, _ throws(ControlRefusal) in throw refusal })
            #expect(throws: ControlError.refused(refusal)) {
                try ControlClient(path: path).send(.sync(sources: ["x"], permissions: false))
            }
            #expect(listener.stop())
        }
    }

    @Test("Without a socket, and with one that a dead driver left, there is no driver")
    func noDriver() throws {
        try withSocketPath { path in
            let client = ControlClient(path: path)
            #expect(throws: ControlError.noDriver) { try client.send(.status) }
            do { _ = try ListeningSocket(bindingAt: path) }
            #expect(FileManager.default.fileExists(atPath: path))
            #expect(throws: ControlError.noDriver) { try client.send(.status) }
        }
    }

    @Test("Who connects and goes without asking anything leaves no line in the log")
    func silentProbe() throws {
        try withSocketPath { path in
            let lines = RecordedLines()
            let handler = ScriptedHandler { request, _, _ in request.json }
            let listener = try ControlListener(
                ListeningSocket(bindingAt: path), handler: handler,
                log: Log(process: "worker", level: .debug, sinks: [lines]))
            listener.start()
            try RawCommand(path: path).end()
            // Its thread has ended once nobody is served any more.
            _ = try ControlClient(path: path).send(.status)
            #expect(listener.stop())
            #expect(lines.count == 0)
        }
    }

    @Test("Of several commands at once each is answered for itself")
    func concurrent() throws {
        try withSocketPath { path in
            let listener = try listen(at: path, ScriptedHandler { request, _, _ in request.json })
            let answers = Recorder<JSONValue?>()
            let group = DispatchGroup()
            for number in 0..<40 {
                DispatchQueue.global().async(group: group) {
                    let request = ControlRequest.evict([BookID(rawValue: Int64(number))])
                    let answer = try? ControlClient(path: path).send(request)
                    answers.add(answer == request.json ? answer : nil)
                }
            }
            #expect(group.wait(timeout: .now() + 30) == .success)
            #expect(answers.values.count == 40)
            #expect(listener.stop())
        }
    }

    @Test("A command beyond the limit is refused at once, and served once there is room")
    func limit() throws {
        try withSocketPath { path in
            let gate = Gate()
            let handler = ScriptedHandler { request, _, _ in
                if request == .reload { gate.enterAndWait() }
                return true
            }
            var limits = ControlLimits()
            limits.connectionCount = 1
            let listener = try listen(at: path, handler, limits: limits)
            let group = DispatchGroup()
            DispatchQueue.global().async(group: group) { _ = try? ControlClient(path: path).send(.reload) }
            gate.waitUntilEntered()
            let error = #expect(throws: ControlError.self) { try ControlClient(path: path).send(.status) }
            #expect(error?.reason.contains("too many commands") == true)

            gate.open()
            #expect(group.wait(timeout: .now() + 10) == .success)
            expectSoon { (try? ControlClient(path: path).send(.status)) == true }
            #expect(listener.stop())
        }
    }

    @Test("A handler learns that its command has gone")
    func abandoned() throws {
        try withSocketPath { path in
            let gate = Gate()
            let seen = Recorder<Bool>()
            let handler = ScriptedHandler { _, _, isAbandoned in
                seen.add(isAbandoned())
                gate.enterAndWait()
                seen.add(isAbandoned())
                return true
            }
            let listener = try listen(at: path, handler)
            let command = try RawCommand(path: path)
            command.send("{\"request\":\"status\"}\n")
            gate.waitUntilEntered()
            command.end()
            gate.open()
            expectSoon { seen.values.count == 2 }
            #expect(seen.values == [false, true])
            #expect(listener.stop())
        }
    }

    @Test("A listener that stops tells its handlers and waits for them, and its socket goes with it")
    func stops() throws {
        try withSocketPath { path in
            let gate = Gate()
            let handler = ScriptedHandler { _, _, isAbandoned in
                gate.enter()
                return JSONValue(eventually(isAbandoned))
            }
            do {
                let listener = try listen(at: path, handler)
                let command = try RawCommand(path: path)
                command.send("{\"request\":\"status\"}\n")
                gate.waitUntilEntered()
                #expect(listener.stop())
                #expect(listener.stop())
                #expect(command.receiveAll() == "{\"answer\":true}\n")
                command.end()
            }
            #expect(throws: ControlError.noDriver) { try ControlClient(path: path).send(.status) }
        }
    }

    @Test(
        "What isn't a request is refused with the reason",
        arguments: [
            "nonsense\n", "{}\n", "[]\n", "\n", "{\"request\":\"dance\"}\n",
            "{\"request\":\"fetch\",\"ids\":[1,\"2\"]}\n", "\u{0}\n",
        ])
    func nonsense(_ text: String) throws {
        try withSocketPath { path in
            let listener = try listen(at: path, ScriptedHandler { _, _, _ in true })
            let command = try RawCommand(path: path)
            command.send(text)
            #expect(command.receiveAll().hasPrefix("{\"refusal\":{\"reason\":\""))
            #expect(try ControlClient(path: path).send(.status) == true)
            #expect(listener.stop())
        }
    }

    @Test("Neither a command that says nothing nor one that says too much holds the driver up")
    func slowAndLong() throws {
        try withSocketPath { path in
            var limits = ControlLimits()
            limits.exchange = .milliseconds(200)
            limits.messageByteCount = 10_000
            let listener = try listen(at: path, ScriptedHandler { _, _, _ in true }, limits: limits)
            let silent = try RawCommand(path: path)
            silent.send("{\"request\":")
            let long = try RawCommand(path: path)
            long.send(String(repeating: "x", count: 10_000))
            #expect(long.receiveAll().contains("too much at once"))
            #expect(silent.receiveAll().hasPrefix("{\"refusal\""))
            #expect(listener.stop())
        }
    }

    @Test("A request and an answer that are too long are errors of their own")
    func tooLong() throws {
        try withSocketPath { path in
            let handler = ScriptedHandler { _, _, _ in .string(String(repeating: "x", count: 2 << 20)) }
            let listener = try listen(at: path, handler)
            let books = (0..<200_000).map { BookID(rawValue: $0 + 1_000_000) }
            #expect(throws: ControlError.tooLong) { try ControlClient(path: path).send(.fetch(books)) }
            let error = #expect(throws: ControlError.self) { try ControlClient(path: path).send(.status) }
            #expect(error?.reason.contains("answer is too long") == true)
            #expect(listener.stop())
        }
    }

    @Test("A driver that says nothing is given up")
    func silent() throws {
        try withSocketPath { path in
            let socket = try ListeningSocket(bindingAt: path)
            #expect(throws: ControlError.silent) {
                try ControlClient(path: path).send(.status, silence: .milliseconds(50))
            }
            _ = socket.descriptor
        }
    }

    @Test("A command whose driver dies in the middle asks its successor")
    func successor() throws {
        try withSocketPath { path in
            let socket = try ListeningSocket(bindingAt: path)
            let result = Recorder<JSONValue?>()
            let group = DispatchGroup()
            DispatchQueue.global().async(group: group) {
                result.add(try? ControlClient(path: path).send(.status))
            }

            // The first worker takes the command and dies; the second adopts the socket.
            expectSoon { acceptAndClose(socket.descriptor) }
            let inherited = fcntl(socket.descriptor, F_DUPFD, 0)
            let listener = try ControlListener(
                ListeningSocket(adopting: inherited), handler: ScriptedHandler { _, _, _ in "second" }, log: .silent)
            listener.start()
            #expect(group.wait(timeout: .now() + 10) == .success)
            #expect(result.values == ["second"])
            #expect(fcntl(inherited, F_GETFD) == FD_CLOEXEC)
            #expect(listener.stop())
        }
    }

    @Test("Commands that come while there is no worker wait for the next")
    func waiting() throws {
        try withSocketPath { path in
            let socket = try ListeningSocket(bindingAt: path)
            let command = try RawCommand(path: path)
            command.send("{\"request\":\"status\"}\n")
            let listener = try ControlListener(
                ListeningSocket(adopting: fcntl(socket.descriptor, F_DUPFD, 0)),
                handler: ScriptedHandler { _, _, _ in 1 }, log: .silent)
            listener.start()
            #expect(command.receiveAll() == "{\"answer\":1}\n")
            #expect(listener.stop())
        }
    }

    @Test("Every request and message is read as it was written")
    func roundTrip() {
        let requests: [ControlRequest] = [
            .status, .fetch([]), .evict([BookID(rawValue: .max)]),
            .verify(nil, isRepairing: true), .verify([BookID(rawValue: 3)], isRepairing: false),
            .sync(sources: ["a", "é"], permissions: true),
            .reload, .stop,
        ]
        for request in requests { #expect(ControlRequest(request.json) == request) }
        var progress = ControlProgress()
        progress.doneByteCount = 5
        progress.totalByteCount = 9
        let messages: [ControlMessage] = [.progress(progress), .answer(.null), .refusal(ControlRefusal(reason: "no"))]
        for message in messages { #expect(ControlMessage(message.json) == message) }
        #expect(ControlMessage(["other": 1]) == nil)
    }
}
