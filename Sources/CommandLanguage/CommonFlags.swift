package import Arguments

extension Flag {
    package static var profile: Flag {
        Flag("--profile", value: "NAME", help: "Which shelf; without it, the one called default.")
    }

    package static var json: Flag { Flag("--json", help: "Print JSON for programs.") }
    package static var quiet: Flag { Flag("--quiet", "-q", help: "Print no progress, only results and errors.") }
}

extension Operand {
    package static var selector: Operand {
        Operand("SELECTOR", help: Operand.selectorHelp)
    }

    package static var optionalSelector: Operand {
        Operand("SELECTOR", .optional, help: Operand.selectorHelp)
    }

    package static var selectors: Operand {
        Operand("SELECTOR", .atLeastOne, help: Operand.selectorHelp)
    }

    package static var mountPoint: Operand {
        Operand("MOUNTPOINT", help: "The directory where the shelf appears.")
    }

    private static var selectorHelp: String {
        "A path in the mount, id:N, category:NAME, author:NAME, series:NAME, search:WORDS or all:"
    }
}
