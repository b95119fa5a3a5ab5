internal import Accounts
internal import Catalog
internal import CommandLanguage
internal import Log
internal import Processes
internal import Terminal

/// What a login asks a person, or reads from standard input where nobody sits before it.
struct LoginQuestions {
    let context: CommandContext
    let source: Source

    /// Shows a person what to do, also where the command is to be quiet: without it nothing comes about.
    func say(_ line: String) {
        try? context.errors.line(line)
        try? context.errors.flush()
    }

    func pause(for duration: Duration) { ThisProcess.wait(for: duration) }

    /// The user name, unless it is known, and the password: a line each.
    func userAndPassword() throws(AccountError) -> (user: String, password: Secret) {
        var user = SourceOptions(source).user ?? ""
        if user.isEmpty { user = try answer("User name for “\(source.name)”: ", isSecret: false).exposed }
        guard !user.isEmpty else { throw .abandoned(reason: "no user name was given") }
        return (user, try secret("Password of \(user): "))
    }

    /// A line that nobody may see.
    func secret(_ question: String) throws(AccountError) -> Secret { try answer(question, isSecret: true) }

    private func answer(_ question: String, isSecret: Bool) throws(AccountError) -> Secret {
        guard let line = TerminalQuestion(question.safe, isSecret: isSecret).answer() else {
            throw .abandoned(
                reason:
                    "the login was given up; without a terminal, user name (unless --user named it) and password are read from standard input, a line each"
            )
        }
        return Secret(line)
    }
}
