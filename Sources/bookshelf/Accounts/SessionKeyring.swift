internal import Accounts
internal import Glibc
internal import JSON
internal import Log
internal import Processes

/// The keyring of the desktop session, asked by a process of its own for each secret.
///
/// libsecret and the GLib that comes with it would otherwise stay in a driver for as long as it runs, with threads of their own; and a
/// keyring that waits for its password can't be told to stop, whereas a process can be ended. Secrets go through a socket, never through
/// arguments or the environment.
struct SessionKeyring: SecretKeeper {
    /// How long the person may take to unlock it.
    private static var patience: Duration { .seconds(60) }
    private static var maximumByteCount: Int { 256 << 10 }

    /// Where the data of the profile is.
    let directory: String

    /// - Returns: `nil` where no session bus can be expected to answer.
    init?(ofProfileIn directory: String) {
        let environment = ThisProcess.environment
        let socket = environment["XDG_RUNTIME_DIR"].map { "\($0)/bus" }
        // Without an address libraries would start a bus by themselves.
        guard
            environment[Environment.sessionBus].map({ !$0.isEmpty }) == true
                || socket.map({ unsafe access($0, F_OK) == 0 }) == true
        else { return nil }
        self.directory = directory
    }

    func secret(of source: String) throws(AccountError) -> Secret? {
        try ask(["do": "lookup", "source": .string(source)])["secret"]?.stringValue.map { Secret($0) }
    }

    func keep(_ secret: Secret, of source: String) throws(AccountError) {
        _ = try ask(["do": "store", "source": .string(source), "secret": .string(secret.exposed)])
    }

    func forget(_ source: String) throws(AccountError) {
        _ = try ask(["do": "clear", "source": .string(source)])
    }

    private func ask(_ question: JSONObject) throws(AccountError) -> JSONValue {
        var question = question
        question["directory"] = .string(directory)
        var ends: [CInt] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .keyring(reason: "the keyring can't be asked: \(SystemWords.current)")
        }
        defer { close(ends[0]) }
        // Those of a driver stay open under their numbers, the mount among them.
        for descriptor in DriverDescriptor.all { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        let started = Result { () throws(ChildProcess.Failure) in
            try ChildProcess.start(
                ThisProcess.executable, arguments: KeyringProcess.words, environment: ThisProcess.environment,
                passing: [.init(ends[1], as: 0), .init(ends[1], as: 1)])
        }
        close(ends[1])
        guard case .success(let process) = started else {
            throw .keyring(reason: "the keyring can't be asked: its process doesn't start")
        }
        let answer = Self.exchange(JSONValue.object(question).encoded(), on: ends[0])
        // Whatever it still does is of no use.
        kill(process, SIGKILL)
        ChildProcess.waitForEnd(of: process)
        guard let answer, let json = try? JSONValue(parsing: answer) else {
            throw .keyring(reason: "the keyring doesn't answer; unlock it and try again")
        }
        if let reason = json["error"]?.stringValue { throw .keyring(reason: "the keyring refuses: \(reason)") }
        return json
    }

    /// - Returns: All that comes until the other end is closed; `nil` if that takes too long.
    private static func exchange(_ question: [UInt8], on descriptor: CInt) -> [UInt8]? {
        guard question.count < 64 << 10,
            unsafe send(descriptor, question, question.count, CInt(MSG_NOSIGNAL)) == question.count
        else { return nil }
        shutdown(descriptor, CInt(SHUT_WR))
        let end = ContinuousClock().now + patience
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while answer.count < maximumByteCount {
            let left = end - ContinuousClock().now
            guard left > .zero, ThisProcess.wait(for: [descriptor], atMost: left)[0] else { return nil }
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return count == 0 && !answer.isEmpty ? answer : nil }
            answer += buffer[..<count]
        }
        return nil
    }
}
