import CommandLanguage
import Settings
import Shelf
import Testing

@Suite("Commands in messages")
struct HintTests {
    private func completed(_ text: String, profile: String = "shop") throws -> String {
        CommandHints(profile: try ProfileName(profile)).completed(text)
    }

    @Test("They are about the profile at hand; the default one needs no name")
    func profile() throws {
        let text = "bring them with: bookshelf sync, and bookshelf import FILE (or `bookshelf source add`)"
        #expect(try completed(text, profile: "default") == text)
        #expect(
            try completed(text)
                == "bring them with: bookshelf --profile shop sync, and bookshelf --profile shop import FILE "
                + "(or `bookshelf --profile shop source add`)")
    }

    @Test(
        "What is no command to type stays",
        arguments: [
            "the catalog was written by a newer bookshelf (format 9)", "bookshelf help", "bookshelf --profile a sync",
            "“How to bookshelf list” is pinned", "see “bookshelf help list”", "/opt/bookshelf list", "bookshelf ", "",
            "“”bookshelf sync", "mybookshelf sync",
        ])
    func others(_ text: String) throws {
        #expect(try completed(text) == text)
    }

    @Test("A title that only begins to be quoted hides no hint behind its end")
    func unpaired() throws {
        #expect(try completed("“a “b” failed; bookshelf list") == "“a “b” failed; bookshelf --profile shop list")
    }

    @Test("Every advice about a book's content names the profile where it names a command")
    func advice() throws {
        let hints = CommandHints(profile: try ProfileName("shop"))
        let errors: [ContentError] = [.timedOut(reason: "r"), .broken(reason: "r"), .removed, .tooManyWaiting]
        for error in errors {
            let shown = hints.completed(
                StatusReport.ReadError(symbol: error.symbol, reason: error.reason, advice: error.advice, at: 1))
            #expect(error.advice.contains("bookshelf "))
            #expect(shown.advice == error.advice.replacing("bookshelf ", with: "bookshelf --profile shop "))
        }
        #expect(hints.completed(Failure.usage("see: bookshelf list")) == .usage("see: bookshelf --profile shop list"))
    }
}
