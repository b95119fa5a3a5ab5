/// A program: its commands, and the flags that every one of them takes.
package struct Program: Sendable {
    package let name: String
    package let version: String

    /// What it is, in a sentence.
    package let help: String

    /// Taken before and after the command.
    package let flags: [Flag]
    package let commands: [Command]

    /// Prints the version instead of doing anything.
    package static var versionFlag: Flag { Flag("--version", help: "Print the version.") }

    /// Explains instead of doing anything.
    package static var helpFlag: Flag { Flag("--help", "-h", help: "Explain the command.") }

    /// Explains a command.
    package static var helpCommand: Command {
        Command(
            "help", operands: [Operand("COMMAND", .any, help: "What to explain; without it, all commands in short.")],
            help: "Explain a command.")
    }

    /// - Parameters:
    ///   - name: As it is called.
    ///   - version: Printed by `--version`.
    ///   - help: What it is.
    ///   - flags: Beside `--version` and `--help`.
    ///   - commands: Beside `help`.
    package init(name: String, version: String, help: String, flags: [Flag], commands: [Command]) {
        self.name = name
        self.version = version
        self.help = help
        self.flags = flags + [Program.versionFlag, Program.helpFlag]
        self.commands = commands + [Program.helpCommand]
    }

    /// What a command line asks for.
    package enum Request: Sendable {
        case run(Invocation)

        /// To explain: a command, the commands of a group, or all.
        case help([Command])
        case version
    }

    /// Looks for a flag among words, also where these can't be understood.
    ///
    /// - Parameters:
    ///   - flag: Of the program.
    ///   - words: After the program's name.
    /// - Returns: Whether it stands there, before `--`.
    package func names(_ flag: Flag, in words: [String]) -> Bool {
        words.prefix { $0 != "--" }.contains { flag.names.contains($0) }
    }

    /// Understands the words after the program's name.
    ///
    /// Flags stand anywhere; `--` ends them. A value follows its flag as the next word, after `=`, or after a flag of one
    /// letter at once; several of those can share a dash.
    ///
    /// - Throws: ``ArgumentError`` for the first word that can't be understood.
    package func parse(_ words: [String]) throws(ArgumentError) -> Request {
        var parser = Parser(program: self, words: words[...])
        return try parser.parse()
    }
}
