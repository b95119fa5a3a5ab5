internal import Glibc
internal import JSON
internal import Keyring
internal import Processes

/// The process that asks the keyring, once: see ``SessionKeyring``.
enum KeyringProcess {
    /// The words of its command line.
    static var words: [String] { ["bookshelf", "driver", "keyring"] }

    private static var maximumByteCount: Int { 256 << 10 }

    /// Answers the question on standard input.
    ///
    /// - Parameter words: Without the name of the program.
    /// - Returns: The exit status; `nil` if the words don't name this.
    static func run(_ words: [String]) -> Int32? {
        guard words == Array(Self.words.dropFirst()) else { return nil }
        // Secrets are in its memory.
        ThisProcess.disableCoreFiles()
        ChildProcess.keepOnly([])
        let parent = getppid()
        guard ThisProcess.dieWithParent(parent, signal: SIGKILL), let question = question else { return 1 }
        let answer = answer(to: question).encoded()
        return unsafe write(STDOUT_FILENO, answer, answer.count) == answer.count ? 0 : 1
    }

    private static var question: JSONValue? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count < maximumByteCount {
            let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
            guard count > 0 else { return try? JSONValue(parsing: bytes) }
            bytes += buffer[..<count]
        }
        return nil
    }

    private static func answer(to question: JSONValue) -> JSONValue {
        guard let source = question["source"]?.stringValue, let directory = question["directory"]?.stringValue else {
            return ["error": "not a question"]
        }
        do throws(Keyring.Failure) {
            switch question["do"]?.stringValue {
            case "lookup": return ["secret": JSONValue(try Keyring.secret(of: source, in: directory))]
            case "store":
                guard let secret = question["secret"]?.stringValue else { return ["error": "no secret"] }
                try Keyring.keep(secret, of: source, in: directory, label: "Bookshelf: \(source)")
            case "clear": try Keyring.forget(source, in: directory)
            default: return ["error": "not a question"]
            }
            return ["done": true]
        } catch {
            switch error {
            case .notInstalled: return ["error": "libsecret is not installed"]
            case .refused(let reason): return ["error": .string(reason)]
            }
        }
    }
}
