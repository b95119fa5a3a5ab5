internal import Arguments
internal import CommandLanguage
internal import JSON
internal import Settings
internal import Terminal

/// What every command has at hand.
struct CommandContext {
    let invocation: Invocation
    let profile: ProfileName
    let environment: [String: String]
    let output: TextOutput
    let errors: TextOutput

    var isJSON: Bool { invocation.has(.json) }
    var isQuiet: Bool { invocation.has(.quiet) }

    /// For every text that tells a person what to type.
    let hints: CommandHints

    init(_ invocation: Invocation, output: TextOutput, errors: TextOutput) throws(Failure) {
        self.invocation = invocation
        self.output = output
        self.errors = errors
        environment = Environment.variables
        do throws(SettingsError) {
            profile =
                try invocation.value(of: .profile).map { (name) throws(SettingsError) in try ProfileName(name) }
                ?? .standard
        } catch {
            throw Failure(error)
        }
        hints = CommandHints(profile: profile)
    }

    /// Where the files of the profile are.
    func paths() throws(Failure) -> ProfilePaths {
        do throws(SettingsError) {
            return try ProfilePaths(profile: profile, environment: environment)
        } catch {
            throw Failure(error)
        }
    }

    /// The settings that hold for this invocation; the store's own prescriptions are not known yet.
    func settings(at paths: ProfilePaths) throws(Failure) -> Settings {
        do throws(SettingsError) {
            let user = try paths.userFile.flatMap { (path) throws(SettingsError) in
                try SettingsFile.read(path, of: .user)
            }
            return try Settings(
                flags: SettingsLayer(flagsOf: invocation), environment: environment, user: user,
                system: SettingsFile.read(paths.systemFile, of: .system))
        } catch {
            throw Failure(error)
        }
    }

    /// Prints a line for people.
    func print(_ line: String) throws(Failure) {
        do throws(OutputError) {
            try output.line(line)
        } catch {
            throw Failure(error)
        }
    }

    /// Prints a line of fields for people and scripts: separated by tabs, and no field has a tab or an end of line in it.
    func print(fields: [String]) throws(Failure) {
        do throws(OutputError) {
            try output.line(fields: fields)
        } catch {
            throw Failure(error)
        }
    }

    /// Tells a person that something was done, unless it is to be quiet; it is done also if it can't be told.
    func confirm(_ line: String) {
        guard !isQuiet else { return }
        try? output.line(hints.completed(line))
        try? output.flush()
    }

    /// Tells a person something that isn't the result, on standard error; what can't be told is no failure.
    func warn(_ line: String) {
        try? errors.line("bookshelf: " + hints.completed(line))
        try? errors.flush()
    }

    /// Prints text as it is, without an end of line.
    func printRaw(_ text: String) throws(Failure) {
        do throws(OutputError) {
            try output.write(text)
        } catch {
            throw Failure(error)
        }
    }

    /// The books that the one selector means; `nil` if none was given.
    var selector: Selector? {
        get throws(Failure) {
            guard let word = invocation.word(for: .selector) ?? invocation.word(for: .optionalSelector) else {
                return nil
            }
            return try Selector(word)
        }
    }

    /// The books that several selectors mean.
    var selectors: [Selector] {
        get throws(Failure) {
            var selectors: [Selector] = []
            for word in invocation.words(for: .selectors) { selectors.append(try Selector(word)) }
            return selectors
        }
    }

    /// Prints a document for programs; indented where people watch.
    func print(_ json: JSONValue) throws(Failure) {
        do throws(OutputError) {
            try output.write(json.terminalText(isIndented: output.isTerminal))
        } catch {
            throw Failure(error)
        }
    }

    /// A display of how far the work is, on standard error.
    func progressDisplay(_ verb: String) -> ProgressDisplay {
        ProgressDisplay(verb, on: errors, isQuiet: isQuiet)
    }
}
