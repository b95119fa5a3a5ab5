package import Arguments

extension Command {
    package static var addSource: Command {
        Command(
            "source add", operands: [.sourceName, .location],
            flags: [.kind, .user, .allowHTTP, .pin, .prefer],
            help: "Add a place that books come from.")
    }

    package static var listSources: Command {
        Command(
            "source list",
            help:
                "List the places that books come from, one a line: name, kind, state and place, with a tab between them."
        )
    }

    package static var removeSource: Command {
        Command(
            "source remove", operands: [.sourceName],
            help: "Remove a source and its books; notes, ratings and purchases stay.")
    }

    package static var importCatalog: Command {
        Command(
            "import", operands: [.catalogFile], flags: [.encoding],
            help: "Take the books of one catalog document, in place of those imported before.")
    }

    package static var sync: Command {
        Command(
            "sync", operands: [.sourceNames], flags: [.permissions, .due],
            help: "Bring the catalog up to date with its sources.")
    }
}

extension Operand {
    package static var sourceName: Operand { Operand("NAME", help: "How the source is called here.") }

    package static var sourceNames: Operand {
        Operand("NAME", .any, help: "The sources to ask; without any, all of them.")
    }

    package static var location: Operand {
        Operand("LOCATION", help: "The URL of a catalog or feed, or the path of a file or folder.")
    }

    package static var catalogFile: Operand { Operand("FILE", help: "The document, or - for standard input.") }
}

extension Flag {
    package static var kind: Flag {
        Flag(
            "--kind", value: "KIND",
            help: "What the source is, where it can't be recognised.",
            words: ["store", "opds", "calibre", "folder"])
    }

    package static var user: Flag {
        Flag("--user", value: "USER", help: "The name to log in with, by a password that bookshelf login asks for.")
    }

    package static var allowHTTP: Flag {
        Flag("--allow-http", help: "Allow plain http to other machines, where anybody can read along.")
    }

    package static var pin: Flag {
        Flag(
            "--pin", value: "PIN", isRepeatable: true,
            help:
                "A public key that the server may have, as sha256//BASE64, and no other; give a second one that is kept in reserve as well."
        )
    }

    package static var prefer: Flag {
        Flag(
            "--prefer", value: "FORMATS",
            help: "Which of several forms of a book to take, the preferred one first: epub,kepub or kepub,epub.")
    }

    package static var encoding: Flag {
        Flag("--encoding", value: "ENCODING", help: "How the document is encoded, where it isn't UTF-8.")
    }

    package static var due: Flag {
        Flag(
            "--due",
            help: "Leave out sources that failed lately, by sync.interval, as a mounted shelf does; for timers.")
    }

    package static var permissions: Flag {
        Flag("--permissions", help: "Ask the store anew what may be read.")
    }
}
