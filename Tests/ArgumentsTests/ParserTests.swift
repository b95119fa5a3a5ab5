import Arguments
import Testing

private let quiet = Flag("--quiet", "-q", help: "Say nothing.")
private let profile = Flag("--profile", value: "NAME", help: "Which profile.")
private let foreground = Flag("-f", help: "Stay.")
private let option = Flag("-o", value: "OPT,...", isRepeatable: true, help: "Options of mount(8).")
private let layout = Flag("--layout", value: "LAYOUT", help: "How books are arranged.", words: ["flat"])
private let place = Operand("PLACE", help: "Where.")
private let name = Operand("NAME", help: "Which.")
private let names = Operand("NAME", .any, help: "Which.")
private let books = Operand("BOOK", .atLeastOne, help: "Which books.")
private let maybe = Operand("BOOK", .optional, help: "Which book.")

private let program = Program(
    name: "shelf", version: "1.2", help: "Keeps books.", flags: [profile, quiet],
    commands: [
        Command("source add", operands: [name, place], flags: [], help: "Add a source."),
        Command("source list", help: "List sources."),
        Command("mount", operands: [place], flags: [foreground, option, layout], help: "Mount the shelf."),
        Command("sync", operands: [names], help: "Sync."),
        Command("list", operands: [maybe], help: "List books."),
        Command("export", operands: [books, place], help: "Export books."),
    ])

private func invocation(_ words: String...) throws -> Invocation {
    guard case .run(let invocation) = try program.parse(words) else {
        Issue.record("not a command")
        throw ArgumentError.noCommand
    }
    return invocation
}

@Suite("Arguments")
struct ParserTests {
    @Test("A flag is seen among words that can't be understood, but not behind the end of flags")
    func namedFlag() {
        #expect(program.names(quiet, in: ["frob", "--bogus", "--quiet"]))
        #expect(program.names(quiet, in: ["-q"]))
        #expect(!program.names(quiet, in: ["sync", "--", "--quiet"]))
        #expect(!program.names(quiet, in: []))
    }

    @Test("A command gets its operands and flags in any order")
    func command() throws {
        let mount = try invocation("mount", "-f", "/mnt", "--layout", "flat")
        #expect(mount.command.name == "mount")
        #expect(mount.word(for: place) == "/mnt")
        #expect(mount.has(foreground))
        #expect(mount.value(of: layout) == "flat")
        #expect(!mount.has(quiet))
        #expect(mount.value(of: profile) == nil)
    }

    @Test(
        "The flags of every command stand before it, after it and within it",
        arguments: [
            ["--profile", "p", "-q", "source", "list"], ["source", "--profile", "p", "--quiet", "list"],
            ["source", "list", "-q", "--profile", "p"],
        ])
    func globalFlags(_ words: [String]) throws {
        guard case .run(let list) = try program.parse(words) else { return #expect(Bool(false)) }
        #expect(list.command.name == "source list")
        #expect(list.value(of: profile) == "p")
        #expect(list.has(quiet))
    }

    @Test("A value follows as the next word, after an equals sign, or at once after a letter")
    func values() throws {
        let mount = try invocation("mount", "/m", "--layout=a=b", "-fo", "ro", "-oallow_other,uid=1", "-o", "-x")
        #expect(mount.value(of: layout) == "a=b")
        #expect(mount.has(foreground))
        #expect(mount.values(of: option) == ["ro", "allow_other,uid=1", "-x"])
        #expect(try invocation("mount", "/m", "--layout=").value(of: layout) == "")
    }

    @Test("Of a flag given twice the last value holds")
    func lastHolds() throws {
        #expect(try invocation("mount", "/m", "--layout", "a", "--layout", "b").value(of: layout) == "b")
    }

    @Test("Two dashes end the flags; a single dash is a word")
    func dashes() throws {
        #expect(try invocation("list", "--", "-q").word(for: maybe) == "-q")
        #expect(try invocation("list", "-").word(for: maybe) == "-")
        #expect(try invocation("--", "list", "--quiet").word(for: maybe) == "--quiet")
    }

    @Test("Optional words can be left out, and many words leave the last to what follows")
    func counts() throws {
        #expect(try invocation("list").word(for: maybe) == nil)
        #expect(try invocation("sync").words(for: names) == [])
        #expect(try invocation("sync", "a", "b").words(for: names) == ["a", "b"])
        let export = try invocation("export", "a", "b", "/to")
        #expect(export.words(for: books) == ["a", "b"])
        #expect(export.word(for: place) == "/to")
    }

    @Test(
        "What can't be understood is refused with the word and what could be meant",
        arguments: [
            ([], ArgumentError.noCommand),
            (["--quiet"], .noCommand),
            (["lst"], .unknownCommand("lst", nearest: "list")),
            (["frobnicate"], .unknownCommand("frobnicate", nearest: nil)),
            (["source"], .incompleteCommand("source", continuations: ["source add", "source list"], written: nil)),
            (
                ["source", "ad", "x"],
                .incompleteCommand("source", continuations: ["source add", "source list"], written: "ad")
            ),
            (["--layout", "x", "mount"], .unknownFlag("--layout", command: nil, nearest: nil)),
            (["mount", "/m", "--layuot", "x"], .unknownFlag("--layuot", command: "mount", nearest: "--layout")),
            (["mount", "/m", "-x"], .unknownFlag("-x", command: "mount", nearest: nil)),
            (["mount", "/m", "-fx"], .unknownFlag("-x", command: "mount", nearest: nil)),
            (["mount", "/m", "--layout"], .missingValue(flag: "--layout", placeholder: "LAYOUT")),
            (["mount", "/m", "-o"], .missingValue(flag: "-o", placeholder: "OPT,...")),
            (["list", "--quiet=yes"], .unexpectedValue(flag: "--quiet")),
            (["mount"], .missingOperand("PLACE", command: "mount")),
            (["source", "add", "n"], .missingOperand("PLACE", command: "source add")),
            (["export", "/to"], .missingOperand("BOOK", command: "export")),
            (["mount", "/m", "/n"], .unexpectedOperand("/n", command: "mount")),
            (["help", "mont"], .unknownCommand("mont", nearest: "mount")),
        ] as [([String], ArgumentError)])
    func refused(_ words: [String], _ error: ArgumentError) {
        #expect(throws: error) { try program.parse(words) }
        #expect(!error.reason(program: "shelf").contains("\n"))
        #expect(!error.reason(program: "shelf").isEmpty)
    }

    @Test("The version is asked for anywhere")
    func version() throws {
        for words in [["--version"], ["mount", "--version"]] {
            guard case .version = try program.parse(words) else {
                Issue.record("\(words)")
                continue
            }
        }
    }

    @Test(
        "Help is asked for by a flag or a command, also where words are missing",
        arguments: [
            (["--help"], 7), (["-h"], 7), (["help"], 7), (["mount", "--help"], 1), (["--help", "mount"], 1),
            (["mount", "-fh"], 1),
            (["help", "mount"], 1), (["help", "source"], 2), (["help", "source", "add"], 1), (["source", "--help"], 2),
            (["--help", "source"], 2),
            (["source", "add", "--help"], 1),
        ])
    func help(_ words: [String], _ count: Int) throws {
        guard case .help(let commands) = try program.parse(words) else { return #expect(Bool(false)) }
        #expect(commands.count == count)
    }

    @Test("Help of a command tells usage, operands and flags, and fits its width")
    func helpText() throws {
        let mount = try #require(program.commands.first { $0.name == "mount" })
        let text = program.helpText(for: [mount], width: 50)
        #expect(
            text.hasPrefix(
                "Usage: shelf mount PLACE [-f] [-o OPT,...]...\n             [--layout LAYOUT]\n\nMount the shelf.\n"))
        #expect(text.contains("\n  --layout LAYOUT  How books are arranged.\n"))
        #expect(text.contains("\n  -q, --quiet     Say nothing.\n"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 50 })
    }

    @Test("Help of the program lists every command")
    func programHelp() {
        let text = program.helpText(for: program.commands)
        #expect(text.contains("Keeps books."))
        for command in program.commands { #expect(text.contains("\n  \(command.name) ")) }
    }
}
