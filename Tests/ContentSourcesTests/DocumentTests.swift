import ContentSources
import Foundation
import Shelf
import Testing

@Suite("Documents of the store catalog")
struct DocumentTests {
    private let tricky = """
        \u{FEFF}{"version": {"books": [1]}, "x": [[]], "books": [
         {"title": "红楼梦 \\u4e2d\\ud83d\\ude42", "author": ["曹雪芹", "高鹗"], "n": [{"title": "no"}], "isPurchased": "yes",
          "description": "<p>a &amp; b</p>", "fileSizeInBytes": "12", "contentUrl": "https://h/%E7%BA%A2.epub"},
         17, {"title": ""}, {}, {"id": 1.50, "title": 1984}
        ], "books2": [{"title": "no"}], "total": 2}

        """

    @Test(
        "The array of books is found wherever it stands",
        arguments: [
            #"[{"title":"x"}]"#, #"{"books":[{"title":"x"}]}"#, #"{"version":1,"books":[{"title":"x"}]}"#,
            #"{"books":[{"title":"x"}],"version":"2","next":{"books":null}}"#, "\u{FEFF}[{\"title\":\"x\"}]",
            " \r\n\t[ {\"title\":\"x\"} ] \n",
        ])
    func shapes(_ document: String) throws {
        #expect(try Reading(document).books.map(\.title) == ["x"])
    }

    @Test("A catalog without books is a catalog", arguments: ["[]", #"{"books":[]}"#])
    func noBooks(_ document: String) throws {
        #expect(try Reading(document).records.isEmpty)
    }

    @Test(
        "What isn't a catalog is refused",
        arguments: [
            ("{}", "there is no “books”"), (#"{"error":"no"}"#, "there is no “books”"),
            (#"{"books":{}}"#, "isn't an array"),
            (#"{"books":null}"#, "isn't an array"), (#"{"books":7}"#, "isn't an array"), ("7", "neither an array"),
            ("\"books\"", "neither an array"), ("null", "neither an array"), (#"{"books":[],"books":[]}"#, "twice"),
        ])
    func noCatalog(_ document: String, _ words: String) {
        let error = #expect(throws: SourceError.self) { try Reading(document) }
        #expect(error?.reason.contains(words) == true, "\(String(describing: error))")
    }

    @Test("An empty document says that it is empty", arguments: ["", " ", "\n\n", "\u{FEFF}"])
    func empty(_ document: String) {
        #expect(throws: SourceError.malformed(offset: 0, reason: "the document is empty")) { try Reading(document) }
    }

    @Test("A document that ends early is refused with its length, wherever it ends")
    func truncated() throws {
        let bytes = Array(tricky.utf8).dropLast(2)
        let start = 4
        for end in start..<bytes.count - 1 {
            let error = #expect(throws: SourceError.self) { try Reading([Array(bytes[..<end])]) }
            guard case .malformed(let offset, _) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(offset == end)
        }
    }

    @Test("Where the pieces end makes no difference")
    func borders() throws {
        let bytes = Array(tricky.utf8)
        let whole = try Reading([bytes]).records.map(\.summary)
        #expect(whole.count == 5)
        for border in 0...bytes.count {
            let reading = try Reading([Array(bytes[..<border]), Array(bytes[border...])])
            #expect(reading.records.map(\.summary) == whole, "border at \(border)")
        }
        #expect(try Reading(bytes.map { [$0] }).records.map(\.summary) == whole)
        #expect(try Reading([[], bytes, []]).records.map(\.summary) == whole)
    }

    @Test("Of ten thousand records of which 37 are bad, 37 are passed over under their numbers")
    func badOnes() throws {
        var bad: [Int: String] = [:]
        let faults = [
            #""title": """#, #""title": "x", "fileSizeInBytes": -5"#, #""title": "x", "sha256": "zz""#,
            #""title": null"#,
            #""title": "x", "fileSizeInBytes": "many""#,
        ]
        for place in 0..<37 { bad[1 + place * 263 + place % 7] = faults[place % faults.count] }
        try #require(bad.count == 37)
        let records = (1...10_000).map { number in
            #"{"id": \#(number), \#(bad[number] ?? #""title": "Book \#(number)", "isPurchased": true"#)}"#
        }
        let reading = try Reading("{\"books\": [\(records.joined(separator: ",\n"))]}")
        #expect(reading.skipped.map(\.number) == bad.keys.sorted())
        #expect(reading.skipped.map(\.key) == bad.keys.sorted().map(String.init))
        #expect(reading.skipped.allSatisfy { !$0.reason.isEmpty })
        #expect(reading.books.count == 9_963)
        let numbers = reading.records.compactMap { if case .book(_, let number) = $0 { number } else { nil } }
        #expect(numbers == (1...10_000).filter { bad[$0] == nil })
    }

    @Test("Records are handed on before the document ends")
    func streams() throws {
        var reader = try StoreCatalogReader(origin: .unknown)
        var titles: [String] = []
        func feed(_ text: String) throws {
            try reader.feed(Array(text.utf8).span) { (record) throws(SourceError) in
                if case .book(let book, _) = record { titles.append(book.title) }
            }
        }
        try feed(#"[{"title":"one"},{"ti"#)
        #expect(titles == ["one"])
        try feed(#"tle":"two"}"#)
        #expect(titles == ["one", "two"])
        try feed("]")
        try reader.finish { (_) throws(SourceError) in }
    }

    @Test("What the taker of records throws ends the reading and comes out as it is")
    func takerThrows() throws {
        let fault = SourceError.storage(reason: "no room")
        var reader = try StoreCatalogReader(origin: .unknown)
        var count = 0
        let document = Array(#"[{"title":"one"},{"title":"two"},{"title":"three"}]"#.utf8)
        #expect(throws: fault) {
            try reader.feed(document.span) { (_) throws(SourceError) in
                count += 1
                if count == 2 { throw fault }
            }
        }
        #expect(count == 2)
        #expect(throws: fault) { try reader.finish { (_) throws(SourceError) in count += 1 } }
        #expect(count == 2)
    }

    @Test("Deep nesting is refused with its place")
    func deep() {
        let document = #"[{"title":"x","a":"# + String(repeating: "[", count: 100_000)
        let error = #expect(throws: SourceError.self) { try Reading(document) }
        guard case .malformed(let offset, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((70..<90).contains(offset))
        #expect(reason.contains("64"))
    }

    @Test("A string without end is refused after sixteen mebibytes")
    func giantString() throws {
        var reader = try StoreCatalogReader(origin: .unknown)
        let deliver: (SourceRecord) throws(SourceError) -> Void = { _ in }
        try reader.feed(Array(#"[{"title":""#.utf8).span, deliver: deliver)
        let piece = Array(repeating: UInt8(ascii: "x"), count: 1 << 20)
        var fed = 0
        let error = #expect(throws: SourceError.self) {
            for _ in 0..<2_048 {
                try reader.feed(piece.span, deliver: deliver)
                fed += 1
            }
        }
        #expect(fed < 17)
        #expect(error?.reason.contains("a single value takes more than 16777216 bytes") == true)
    }

    @Test("A record of more than eight mebibytes is passed over, and the rest goes on")
    func giantRecord() throws {
        let text = String(repeating: "x", count: 5 << 20)
        let reading = try Reading(
            #"[{"id":1,"title":"a"},{"id":2,"title":"b","description":"\#(text)","publisher":"\#(text)"},{"id":3,"title":"c"}]"#
        )
        #expect(reading.books.map(\.title) == ["a", "c"])
        #expect(reading.skipped == [SkippedRecord(number: 2, key: "2", reason: "the record is larger than 8 MiB")])
        // What is ignored isn't kept and may be larger.
        #expect(try Reading(#"[{"title":"b","x":"\#(text)","y":"\#(text)"}]"#).books.count == 1)
    }

    @Test("A list without end in one record is bounded")
    func giantList() throws {
        let many = String(repeating: "\"a\",", count: 800_000)
        let reading = try Reading(#"[{"id":1,"title":"x","author":[\#(many)"b"]},{"title":"y"}]"#)
        #expect(reading.skipped.map(\.reason) == ["the record is larger than 8 MiB"])
        #expect(reading.books.map(\.title) == ["y"])
    }

    @Test(
        "The ten thousand real records of the corpus are read whole",
        .enabled(if: Corpus.isThere, "needs the corpus: BOOKSHELF_TEST_CORPUS, or ../shared/corpus"))
    func corpus() throws {
        let path = Corpus.path("json/goodbooks10k__books.json")
        var document = try CatalogDocument(path: path)
        var books: [BookRecord] = []
        var skipped: [SkippedRecord] = []
        try StoreCatalogReader.read(
            origin: .unknown, next: { () throws(SourceError) in try document.next() },
            deliver: { (record) throws(SourceError) in
                switch record {
                case .book(let book, _): books.append(book)
                case .skipped(let record): skipped.append(record)
                }
            })
        #expect(books.count == 10_000)
        #expect(skipped == [])
        let objects =
            try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path))) as? [[String: String]]
        let expected = try #require(objects)
        for (book, object) in zip(books, expected) {
            #expect(book.key == object["id"])
            #expect(book.title == object["title"]?.trimmingCharacters(in: .whitespacesAndNewlines))
            #expect(book.authors.joined == object["author"]?.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }
}

/// Material that stands outside of the package.
enum Corpus {
    static var isThere: Bool { FileManager.default.fileExists(atPath: path("json")) }

    static func path(_ name: String) -> String {
        let root = ProcessInfo.processInfo.environment["BOOKSHELF_TEST_CORPUS"] ?? "../shared/corpus"
        return root + "/" + name
    }
}
