import Shelf
import Testing

@Suite("File name")
struct FileNameTests {
    @Test(
        "What some file system refuses becomes a look-alike",
        arguments: [
            ("Either/Or", "Either／Or.epub"), ("Dune: Messiah", "Dune： Messiah.epub"),
            ("\"Quoted\" <and> *starred*|?\\", "＂Quoted＂ ＜and＞ ＊starred＊｜？＼.epub"),
            (".hidden", "．hidden.epub"), ("...", "_.epub"), ("", "_.epub"), ("   ", "_.epub"), ("Wait...", "Wait.epub"),
            ("Trailing ", "Trailing.epub"), ("two\nlines", "two lines.epub"), ("a\u{202E}b", "a_b.epub"),
            ("a\u{0}b", "a_b.epub"),
            ("CON", "CON_.epub"), ("con.fused", "con_.fused.epub"), ("com1", "com1_.epub"), ("LPT¹", "LPT¹_.epub"),
            ("Aux ", "Aux_.epub"), ("Console", "Console.epub"), ("COM10", "COM10.epub"), ("红楼梦", "红楼梦.epub"),
            ("😀 1", "😀 1.epub"),
            (". .", "_.epub"), (" .x", "．x.epub"),
        ])
    func replaces(_ title: String, _ expected: String) {
        #expect(FileName.book(title: title, pathExtension: "epub") == expected)
    }

    @Test("A name has at most 255 bytes, keeps its extension, and is cut between characters")
    func cuts() {
        for unit in ["a", "é", "红", "👨‍👩‍👧‍👦", "e\u{301}\u{302}"] {
            let name = FileName.book(title: String(repeating: unit, count: 300), pathExtension: "kepub.epub")
            #expect(name.utf8.count <= 255)
            #expect(name.utf8.count > 255 - unit.utf8.count - 1)
            #expect(name.hasSuffix(".kepub.epub"))
            #expect(name.dropLast(11).allSatisfy { String($0) == unit })
        }
    }

    @Test("A cut leaves neither a dot nor a space before the extension")
    func cutTrims() {
        let name = FileName.book(title: String(repeating: "a", count: 248) + ". . . tail", pathExtension: "epub")
        #expect(name == String(repeating: "a", count: 248) + ".epub")
    }

    @Test("One character longer than a name is cut inside")
    func monster() {
        let name = FileName.book(title: "x" + String(repeating: "\u{301}", count: 400), pathExtension: "epub")
        #expect(name.utf8.count <= 255)
        #expect(name.unicodeScalars.starts(with: ["x", "\u{301}"]))
    }

    @Test("What tells two books apart stands behind the title and survives the cut")
    func suffixes() {
        #expect(
            FileName.book(title: "Poems", author: "A. B", ordinal: 2, pathExtension: "epub") == "Poems - A. B (2).epub")
        let long = FileName.book(
            title: String(repeating: "t", count: 300), author: String(repeating: "n", count: 300), ordinal: 17,
            pathExtension: "epub")
        #expect(long.utf8.count == 255)
        #expect(long.hasSuffix("n (17).epub"))
    }

    @Test("A device name is no less one for a number behind it")
    func deviceWithSuffix() {
        #expect(FileName.book(title: "CON", ordinal: 2, pathExtension: "epub") == "CON (2).epub")
        #expect(FileName.directory(title: "NUL") == "NUL_")
    }

    @Test("A directory's name follows the same rules without an extension")
    func directories() {
        #expect(FileName.directory(title: "Fiction / Fantasy") == "Fiction ／ Fantasy")
        #expect(FileName.directory(title: "Science.") == "Science")
        #expect(FileName.directory(title: "x", ordinal: 2) == "x (2)")
    }
}
