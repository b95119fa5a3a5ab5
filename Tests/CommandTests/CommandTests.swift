import Foundation
import Testing

@Suite("The bookshelf command")
final class CommandTests {
    @Test("The version and help go to standard output, and are a success")
    func success() throws {
        let version = try run("--version")
        #expect(version.status == 0)
        #expect(version.output.hasPrefix("bookshelf ") && version.output.hasSuffix("\n"))
        #expect(version.errors.isEmpty)
        for words in [["help"], ["--help"], ["help", "mount"], ["mount", "--help"]] {
            let help = try run(words)
            #expect(help.status == 0)
            #expect(help.output.hasPrefix("Usage: bookshelf "))
            #expect(help.errors.isEmpty)
        }
    }

    @Test(
        "Wrong usage is status 2 and one line on standard error",
        arguments: [
            [], ["frobnicate"], ["mount"], ["mount", "/a", "/b"], ["list", "--bogus"], ["source"], ["fetch"],
            ["--profile"],
            ["--profile", "../x", "status"], ["a\nb\u{1B}[31m"],
        ])
    func wrongUsage(_ words: [String]) throws {
        let result = try run(words)
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("bookshelf: "))
        #expect(result.errors.split(separator: "\n", omittingEmptySubsequences: false).count == 2)
        #expect(!result.errors.contains("\u{1B}"))
    }

    @Test(
        "With --json every failing command says so in one document, and in a line on standard error",
        arguments: [
            "2 --json frob", "2 frob --json", "2 --json", "2 --json help frob", "2 --json fetch",
            "2 list --json --bogus",
            "2 --json --profile ../x status", "1 --json login nowhere", "1 --json logout nowhere", "2 --json list id:x",
            "2 --json source add import /x", "1 --json list id:999", "1 --json info id:999", "1 --json fetch id:999",
            "1 --json pin id:999", "1 --json unpin search:nothing", "1 --json evict author:nobody",
            "1 --json verify id:999", "1 --json sync nowhere", "1 --json source remove nowhere",
            "1 --json mount /nonexistent/shelf", "1 --json unmount /nonexistent/shelf",
        ])
    func failuresAsJSON(_ line: String) throws {
        let parts = line.split(separator: " ").map(String.init)
        let status = try #require(Int32(parts[0]))
        let result = try run(Array(parts.dropFirst()), home: home)
        #expect(result.status == status)
        let document = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        #expect(document.keys.sorted() == ["error"])
        let error = try #require(document["error"] as? [String: Any])
        #expect(error.keys.sorted() == ["exitStatus", "reason"])
        #expect(error["exitStatus"] as? Int32 == status)
        #expect(result.errors == "bookshelf: \(error["reason"] as? String ?? "")\n")
    }

    @Test("A failing command whose result says what failed prints that result alone")
    func resultOfFailure() throws {
        let result = try run(["--json", "import", "/nonexistent/catalog.json"], home: home)
        #expect(result.status == 1)
        let document = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        #expect(document.keys.sorted() == ["sources"])
    }

    @Test("What isn't wrong prints no error, and without --json none is printed as JSON")
    func noDocument() throws {
        #expect(try run(["--json", "list"], home: home).output.hasPrefix("{\"books\":["))
        #expect(try run(["fetch", "id:999"], home: home).output.isEmpty)
        #expect(try run(["fetch", "--", "--json"], home: home).output.isEmpty)
    }

    @Test(
        "A selector that means no book is named as it was written",
        arguments: [
            ["fetch", "id:999"], ["pin", "search:No Such  Book"], ["unpin", "id:999"], ["evict", "category:Nobody's"],
            ["verify", "series:None: at all"], ["info", "author:N. N."], ["fetch", "all:", "author:N. N."],
        ])
    func emptySelector(_ words: [String]) throws {
        let result = try run(words, home: home)
        #expect(result.status == 1)
        #expect(result.errors.contains("“\(words.last ?? "")” means no book"), "\(result.errors)")
    }

    @Test("What is pinned when it comes stands in status, until all is unpinned")
    func pinRules() throws {
        func rules() throws -> String? {
            try run(["status"], home: home).output.split(separator: "\n").first { $0.hasPrefix("Pinned also later") }
                .map(String.init)
        }
        #expect(try rules() == nil)
        _ = try run(["pin", "category:Old Maps", "author:A. Author", "all:"], home: home)
        #expect(
            try rules()
                == "Pinned also later: what comes to category “Old Maps”, author “A. Author”, the shelf")
        #expect(try run(["unpin", "all:"], home: home).status == 0)
        #expect(try rules() == nil)
    }

    @Test("Commands that a message names are about the profile that was named")
    func profileInHints() throws {
        for words in [["fetch", "id:999"], ["sync", "nowhere"], ["status"]] {
            let plain = try run(words, home: home)
            #expect((plain.output + plain.errors).contains("bookshelf "))
            #expect(!(plain.output + plain.errors).contains("--profile"))
            let named = try run(["--profile", "shop"] + words, home: home)
            #expect((named.output + named.errors).contains("bookshelf --profile shop "), "\(words)")
        }
    }

    @Test("A word that is nearly a command names it")
    func nearest() throws {
        #expect(try run("lst").errors.contains("did you mean list?"))
    }

    @Test("A result that can't be written is a failure")
    func fullDisk() throws {
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let result = try run(["--version"], output: full)
        #expect(result.status == 1)
        #expect(result.errors.hasPrefix("bookshelf: can't write the output: "))
    }

    @Test("With standard output closed it fails, rather than printing into a file that took the number")
    func closedOutput() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "exec \"$0\" --version >&-", command.path]
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(text == "bookshelf: can't write the output: Bad file descriptor\n")
    }

    @Test(
        "What this version doesn't do is refused as wrong usage, not passed over",
        arguments: [
            ["mount", "/mnt", "--views=downloaded"]
        ])
    func unavailable(_ words: [String]) throws {
        let result = try run(words)
        #expect(result.status == 2)
        #expect(result.errors.contains("not available in this version"))
    }

    @Test(
        "What was done is a success, also where nobody can be told",
        arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full"])
    func closedDescriptors(_ redirections: String) throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "closed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: home) }
        try Data("[]".utf8).write(to: home.appending(path: "catalog.json"))
        for words in [
            "import \"$HOME/catalog.json\"", "source add a \"$HOME/catalog.json\"", "sync a", "fetch all:",
            "evict all:",
            "source remove a",
        ] {
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "\"$0\" \(words) \(redirections)", command.path]
            process.environment = ["HOME": home.path]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(words) \(redirections)")
        }
        // What is asked for is there to be read.
        if redirections.contains(">&-") || redirections.contains("full"), !redirections.hasPrefix("2") {
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "\"$0\" status \(redirections)", command.path]
            process.environment = ["HOME": home.path]
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 1)
        }
    }

    // MARK: - Running it

    private let home: URL

    init() throws {
        home = FileManager.default.temporaryDirectory.appending(path: "command-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: false)
        // With a catalog, since somebody may have mounted a shelf of the same profile on this machine.
        let document = home.appending(path: "catalog.json")
        try Data("[]".utf8).write(to: document)
        _ = try run(["--quiet", "import", document.path], home: home)
    }

    deinit {
        try? FileManager.default.removeItem(at: home)
    }

    /// The test program stands beside the command in the build directory.
    private var command: URL {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "bookshelf")
    }

    private struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    private func run(_ words: String...) throws -> Result {
        try run(words)
    }

    private func run(_ words: [String], home: URL? = nil, output: FileHandle? = nil) throws -> Result {
        try #require(FileManager.default.isExecutableFile(atPath: command.path), "swift build makes \(command.path)")
        let process = Process()
        process.executableURL = command
        process.arguments = words
        process.environment = ["HOME": home?.path ?? "/nonexistent"]
        let pipe = Pipe()
        let errors = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output ?? pipe
        process.standardError = errors
        try process.run()
        // What it prints fits into the pipes, so it ends without a reader.
        process.waitUntilExit()
        try pipe.fileHandleForWriting.close()
        return Result(
            status: process.terminationStatus,
            output: String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self),
            errors: String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
    }
}
