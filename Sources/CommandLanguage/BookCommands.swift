package import Arguments

extension Command {
    package static var list: Command {
        Command(
            "list", operands: [.optionalSelector], flags: [.all],
            help:
                "List the books of the shelf, one a line: number, state, size and path, with a tab between them and control characters replaced."
        )
    }

    package static var search: Command {
        Command(
            "search", operands: [.searchWords], flags: [.all, .limit],
            help:
                "Find books by words of their titles, authors and descriptions, best first; lines as of list. Words in quotation marks belong together, and the last word may be the beginning of one."
        )
    }

    package static var info: Command {
        Command("info", operands: [.selector], help: "Tell everything about a book.")
    }

    package static var status: Command {
        Command("status", help: "Tell how the shelf, its sources and its cache are.")
    }

    package static var fetch: Command {
        Command("fetch", operands: [.selectors], help: "Bring the content of books to this machine.")
    }

    package static var pin: Command {
        Command(
            "pin", operands: [.selectors],
            help:
                "Bring the content of books to this machine and keep it; category:, author:, series: and all: also mean the books that come later."
        )
    }

    package static var unpin: Command {
        Command(
            "unpin", operands: [.selectors],
            help: "Let the content of books go when its room is needed, and pin no more that come later.")
    }

    package static var evict: Command {
        Command(
            "evict", operands: [.selectors], help: "Remove the content of books from this machine; they stay listed.")
    }

    package static var verify: Command {
        Command(
            "verify", operands: [.optionalSelector], flags: [.repair],
            help: "Read what is on this machine again and compare it with its hashes; what is damaged is removed.")
    }
}

extension Operand {
    package static var searchWords: Operand {
        Operand("WORDS", .atLeastOne, help: "What the books are to have; nothing in it is a command.")
    }
}

extension Flag {
    package static var limit: Flag {
        Flag("--limit", value: "N", help: "The best N books only.")
    }

    package static var repair: Flag {
        Flag("--repair", help: "Fetch what was damaged again.")
    }

    package static var all: Flag {
        Flag("--all", help: "Also books that aren't purchased, or have nothing to read yet.")
    }
}
