import CommandLanguage
import Shelf
import Testing

@Suite("Selector")
struct SelectorTests {
    @Test(
        "A word before a colon says what is selected by; everything else is a path",
        arguments: [
            ("id:7", Selector.id(BookID(rawValue: 7))), ("category:Fiction / Crime", .category("Fiction / Crime")),
            ("author:Ivan Goncharov", .author("Ivan Goncharov")), ("series:A: B", .series("A: B")),
            ("search:红楼", .search("红楼")),
            ("search:\"a b\" c:d", .search("\"a b\" c:d")), ("all:", .all),
            ("/mnt/Fiction/Oblomov.epub", .path("/mnt/Fiction/Oblomov.epub")),
            ("Fiction", .path("Fiction")), ("./odd:name", .path("./odd:name")), ("/mnt/id:7", .path("/mnt/id:7")),
            (".", .path(".")),
        ])
    func reads(_ text: String, _ selector: Selector) throws {
        #expect(try Selector(text) == selector)
        #expect(selector.text == text)
    }

    @Test(
        "What selects nothing is wrong usage, and the message says what would",
        arguments: [
            ("", "empty"), ("id:", "after the colon"), ("id:x", "number"), ("id:0", "number"), ("id:-7", "number"),
            ("id:+7", "number"),
            ("id:7.5", "number"), ("id:99999999999999999999", "number"), ("autor:x", "author:"),
            ("xyzzy:1", "category:"), ("all:x", "stands alone"),
            ("search: ", "after the colon"), (":x", "search:"),
        ])
    func refuses(_ text: String, _ part: String) {
        let failure = #expect(throws: Failure.self) { try Selector(text) }
        #expect(failure?.exitStatus == 2)
        #expect(failure?.message.contains(part) == true)
    }
}
