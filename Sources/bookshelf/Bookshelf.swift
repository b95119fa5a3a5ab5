internal import Arguments
internal import CommandLanguage
internal import Terminal

/// The command from its words to its exit status.
struct Bookshelf {
    static let version = "0.1.0"
    private let program = Program.bookshelf(version: Bookshelf.version)
    private let output = TextOutput.standardOutput
    private let errors = TextOutput.standardError

    /// What each command does, by its name.
    private let bodies: [String: (CommandContext) throws(Failure) -> Void] = [
        Command.addSource.name: SourceCommands.add,
        Command.listSources.name: SourceCommands.list,
        Command.removeSource.name: SourceCommands.remove,
        Command.login.name: LoginCommand.run,
        Command.logout.name: LogoutCommand.run,
        Command.importCatalog.name: SyncCommands.importCatalog,
        Command.sync.name: SyncCommands.sync,
        Command.mount.name: MountCommand.run,
        Command.unmount.name: UnmountCommand.run,
        Command.list.name: ListCommand.run,
        Command.search.name: SearchCommand.run,
        Command.info.name: InfoCommand.run,
        Command.status.name: StatusCommand.run,
        Command.fetch.name: ContentCommands.fetch,
        Command.pin.name: PinCommands.pin,
        Command.unpin.name: PinCommands.unpin,
        Command.evict.name: ContentCommands.evict,
        Command.verify.name: VerifyCommand.run,
    ]

    /// Does what the words say.
    ///
    /// - Parameter words: Without the name of the program.
    /// - Returns: 0 done, 1 failed, 2 wrong usage; what went wrong is a line on standard error, and with `--json` a document on
    ///   standard output.
    func run(_ words: [String]) -> Int32 {
        do throws(Failure) {
            try obey(words)
            try finish()
            return 0
        } catch {
            // A result that tells what failed in it is the document, and a part of one can't be mended by another.
            if program.names(.json, in: words), !output.isBegun {
                try? output.write(error.json.terminalText(isIndented: output.isTerminal))
            }
            // What was printed before the failure stands before it.
            try? output.flush()
            try? errors.line(error.line(program: program.name))
            try? errors.flush()
            return error.exitStatus
        }
    }

    private func obey(_ words: [String]) throws(Failure) {
        switch try parse(words) {
        case .help(let commands):
            try write(program.helpText(for: commands, width: min(output.columnCount ?? 80, 100)))
        case .version: try write("\(program.name) \(program.version)\n")
        case .run(let invocation):
            let context = try CommandContext(invocation, output: output, errors: errors)
            guard let body = bodies[invocation.command.name] else {
                throw .failed("version \(program.version) can't do “\(invocation.command.name)” yet")
            }
            do throws(Failure) { try body(context) } catch { throw context.hints.completed(error) }
        }
    }

    private func parse(_ words: [String]) throws(Failure) -> Program.Request {
        do throws(ArgumentError) {
            return try program.parse(words)
        } catch {
            throw Failure(error, program: program.name)
        }
    }

    private func write(_ text: String) throws(Failure) {
        do throws(OutputError) {
            try output.write(text)
        } catch {
            throw Failure(error)
        }
    }

    /// A result that couldn't be written whole is a failure: a script must not take half a list for the list.
    private func finish() throws(Failure) {
        do throws(OutputError) {
            try output.flush()
        } catch {
            throw Failure(error)
        }
    }
}
