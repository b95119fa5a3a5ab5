import Spelling
import Testing

@Suite("Spelling")
struct SpellingTests {
    private let words = ["source", "sync", "status", "mount", "unmount", "import"]

    @Test(
        "The word with the fewest changes is meant",
        arguments: [
            ("sorce", "source"), ("statsu", "status"), ("Mount", "mount"), ("umount", "mount"), ("inport", "import"),
        ])
    func nearest(_ written: String, _ meant: String) {
        #expect(nearestWord(to: written, among: words) == meant)
    }

    @Test("A word that is far from all is none of them", arguments: ["", "x", "frobnicate", "qqqq"])
    func far(_ written: String) {
        #expect(nearestWord(to: written, among: words) == nil)
    }
}
