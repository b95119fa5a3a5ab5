package import Arguments

extension Command {
    package static var login: Command {
        Command(
            "login", operands: [.sourceName],
            help:
                "Log in to a source: in a browser where its server offers that, else by a password that is asked for, or read from standard input."
        )
    }

    package static var logout: Command {
        Command(
            "logout", operands: [.sourceName], help: "Forget how to log in to a source, and have its server forget it.")
    }
}
