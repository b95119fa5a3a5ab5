import Arguments
import CommandLanguage
import Control
import JSON
import Settings
import Terminal
import Testing

@Suite("The bookshelf program")
struct ProgramTests {
    private let program = Program.bookshelf(version: "1.0")

    private func invocation(_ words: [String]) throws -> Invocation {
        guard case .run(let invocation) = try program.parse(words) else {
            Issue.record("not a command: \(words)")
            throw ArgumentError.noCommand
        }
        return invocation
    }

    @Test(
        "Every command of the documentation is understood with all it takes",
        arguments: [
            "source add shop https://books.example/opds --kind opds --user ann --allow-http --pin sha256//A --pin sha256//B --prefer epub,kepub",
            "source list", "source remove shop", "import -", "import books.json --encoding GB18030", "sync",
            "sync a b --permissions",
            "mount /mnt",
            "mount /mnt -f -o ro,allow_other --layout flat --views titles --samples never --sync-interval 5min --replace",
            "unmount /mnt", "list", "list category:Fiction --all", "info id:7", "status", "fetch id:7 all:",
            "evict all:",
            "--profile school --json --quiet status", "status --profile=school --json --quiet",
        ])
    func understands(_ line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let invocation = try invocation(words)
        #expect(line.contains(invocation.command.name))
    }

    @Test("Every command explains itself, its operands and its flags in lines that fit")
    func help() {
        for command in program.commands {
            let text = program.helpText(for: [command])
            #expect(text.hasPrefix("Usage: bookshelf \(command.name)"))
            for operand in command.operands { #expect(text.contains(operand.name)) }
            for flag in command.flags { #expect(text.contains("  " + flag.names[0])) }
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(command.name)")
            #expect(command.help.hasSuffix("."))
        }
    }

    @Test("The help of a duration has its range")
    func durationHelp() throws {
        let mount = try #require(program.commands.first { $0.name == "mount" })
        let text = program.helpText(for: [mount], width: 1000)
        #expect(text.contains("A time from 1s to 30d, such as 5s, 15min, 2h, 30d."))
    }

    @Test("Values of one source's flags are kept apart")
    func sourceFlags() throws {
        let add = try invocation(["source", "add", "shop", "/books", "--pin", "a", "--pin", "b"])
        #expect(add.word(for: .sourceName) == "shop")
        #expect(add.word(for: .location) == "/books")
        #expect(add.values(of: .pin) == ["a", "b"])
        #expect(!add.has(.allowHTTP))
    }

    @Test("Flags of mount are the strongest settings, and a wrong value names the flag")
    func settings() throws {
        let mount = try invocation(["mount", "/mnt", "--layout", "flat", "--sync-interval", "5min"])
        let settings = try Settings(
            flags: SettingsLayer(flagsOf: mount),
            environment: ["BOOKSHELF_LAYOUT": "author", "BOOKSHELF_VIEWS": "titles"])
        #expect(settings[.layout] == "flat")
        #expect(settings[.views] == ["titles"])
        #expect(settings[.syncInterval] == .seconds(300))

        let wrong = try invocation(["mount", "/mnt", "--samples", "some"])
        let error = #expect(throws: SettingsError.self) { try Settings(flags: SettingsLayer(flagsOf: wrong)) }
        #expect(error?.reason == "--samples: samples must be auto, always or never, not “some”")
    }

    @Test("A failure is one line and has the status of its kind")
    func failures() throws {
        let hostile = Failure.failed("can't read “a\nbookshelf: forged\u{1B}[31m”")
        #expect(hostile.line(program: "bookshelf") == "bookshelf: can't read “a bookshelf: forged�[31m”")
        #expect(Failure(ArgumentError.noCommand, program: "bookshelf").exitStatus == 2)
        #expect(Failure(SettingsError.profileName("/")).exitStatus == 2)
        #expect(Failure(SettingsError.locked(name: "layout", by: .system(path: "/s", line: 1))).exitStatus == 1)
        #expect(Failure(ControlError.noDriver).exitStatus == 1)
        #expect(Failure(OutputError(errorNumber: 28)).exitStatus == 1)
    }

    @Test("A failure is a document with its reason and its status")
    func failureAsJSON() {
        let failure = Failure.usage("“a\"b” isn't it")
        #expect(failure.json == ["error": ["reason": "“a\"b” isn't it", "exitStatus": 2]])
    }

    @Test("Mount options of fstab are taken, those of other file systems passed over")
    func mountOptions() throws {
        let options = try MountOptions([
            "ro,allow_other,uid=1000", "gid=100,umask=022,_netdev,noauto,user,x-systemd.automount,comment=a", "",
        ])
        #expect(options.isReadOnly && options.allowsOthers)
        #expect(options.userID == 1000)
        #expect(options.groupID == 100)
        #expect(options.permissionMask == 0o022)
        #expect(try MountOptions([]) == MountOptions(["rw,defaults"]))
    }

    @Test(
        "A mount option that can't be is wrong usage",
        arguments: [
            "alow_other", "uid=", "uid=me", "uid=-1", "uid=4294967295", "uid", "umask=9", "umask=1000", "ro=1",
            "kernel_cache",
        ])
    func badMountOptions(_ option: String) {
        let failure = #expect(throws: Failure.self) { try MountOptions([option]) }
        #expect(failure?.exitStatus == 2)
        #expect(failure?.message.contains(option) == true)
    }
}
