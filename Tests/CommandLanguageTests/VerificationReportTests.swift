import CommandLanguage
import JSON
import Shelf
import Testing

@Suite("What verify tells")
struct VerificationReportTests {
    private func report(_ damaged: [JSONValue], repaired: Int, failure: String? = nil) -> VerificationReport {
        VerificationReport([
            "checked": 7, "damaged": .array(damaged), "repaired": JSONValue(repaired), "unknown": 2,
            "failure": JSONValue(failure),
        ])
    }

    private let damaged: JSONValue = ["id": 3, "path": "A/B.epub", "reason": "its bytes are others", "failure": .null]
    private let lost: JSONValue = ["id": 4, "path": .null, "reason": "it can't be read", "failure": "no route"]

    @Test("The document has the keys of the documentation, and nothing else")
    func json() {
        #expect(
            report([damaged, lost], repaired: 1).json == [
                "checked": 7,
                "damaged": [
                    ["id": 3, "path": "A/B.epub", "reason": "its bytes are others"],
                    ["id": 4, "path": .null, "reason": "it can't be read"],
                ],
                "repaired": 1,
            ])
    }

    @Test("It is a failure while something is damaged, or not everything could be looked at")
    func complaint() {
        #expect(report([], repaired: 0).complaint == nil)
        #expect(report([damaged], repaired: 1).complaint == nil)
        #expect(report([damaged], repaired: 0).complaint?.contains("1 damaged") == true)
        #expect(report([damaged, lost], repaired: 1).complaint?.hasSuffix("no route") == true)
        #expect(report([], repaired: 0, failure: "the catalog is damaged").complaint == "the catalog is damaged")
    }

    @Test("For people: each book with what is wrong, and what was found beside")
    func lines() {
        #expect(
            report([damaged, lost], repaired: 1).lines == [
                "A/B.epub: its bytes are others", "book 4: it can't be read; not fetched again: no route",
                "2 removed that belonged to no book of the catalog",
            ])
        #expect(report([damaged], repaired: 1).summary == "7 checked, 1 damaged, 1 repaired")
    }
}
