import ContentSources
import Foundation
import Shelf
import Testing

@Suite("Fields of the store catalog")
struct FieldTests {
    private let store = CatalogOrigin.network("https://store.example/catalog/books.json")

    @Test("Every field of the table is taken")
    func allFields() throws {
        let record = """
            {"id": "b-7", "title": "Oblomov", "author": ["Ivan Goncharov", "C. J. Hogarth"], "category": ["Novels", "Russian"],
             "description": "A man in bed.", "coverUrl": "covers/7.jpg", "isPurchased": true, "isSample": false,
             "isbn": "978-0-14-044040-2", "language": "en_GB", "publisher": "Penguin", "series": "Classics",
             "seriesIndex": 2.5, "contents": ["Part One", "Part Two"], "contentUrl": "content/7.epub",
             "fileSizeInBytes": 1234567, "sha256": "\(String(repeating: "AB", count: 32))",
             "mediaType": "Application/EPUB+zip; version=3", "lastModified": "2024-05-31T08:30:15Z",
             "purchasedAt": "2024-06-01", "lastReadDate": "2024-06-02T00:00:00+02:00", "orderId": "o-1",
             "price": "12.50 EUR", "storeUrl": "/b/7?ref=1"}
            """
        var book = BookRecord(key: "b-7", title: "Oblomov")
        book.authors = [Author(name: "Ivan Goncharov"), Author(name: "C. J. Hogarth")]
        book.categories = ["Novels", "Russian"]
        book.description = "A man in bed."
        book.coverURL = "https://store.example/catalog/covers/7.jpg"
        book.isPurchased = true
        book.isbn = "978-0-14-044040-2"
        book.language = "en-GB"
        book.publisher = "Penguin"
        book.series = "Classics"
        book.seriesIndex = 2.5
        book.contents = ["Part One", "Part Two"]
        book.purchasedAt = 1_717_200_000
        book.lastReadAt = 1_717_279_200
        book.orderID = "o-1"
        book.price = "12.50 EUR"
        book.storeURL = "https://store.example/b/7?ref=1"
        var content = ContentStatement(url: "https://store.example/catalog/content/7.epub")
        content.byteCount = 1_234_567
        content.sha256 = String(repeating: "ab", count: 32)
        content.modifiedAt = 1_717_144_215
        book.content = content
        #expect(try Reading.book(record, origin: store) == book)
    }

    @Test("Numbers given as strings and strings given as numbers are taken")
    func looseTypes() throws {
        let record = """
            {"id": 7, "title": 1984, "author": 42, "category": [1, "x", null, true, {"a": 1}, ["b"]], "seriesIndex": "3",
             "fileSizeInBytes": "1234", "isbn": 9780141439563, "price": 9.90, "orderId": 12, "contents": "Only one",
             "contentUrl": "https://store.example/7.epub"}
            """
        let book = try #require(try Reading.book(record))
        #expect(book.key == "7")
        #expect(book.title == "1984")
        #expect(book.authors == [Author(name: "42")])
        #expect(book.categories == ["1", "x"])
        #expect(book.seriesIndex == 3)
        #expect(book.content?.byteCount == 1_234)
        #expect(book.isbn == "9780141439563")
        #expect(book.price == "9.90")
        #expect(book.orderID == "12")
        #expect(book.contents == ["Only one"])
    }

    @Test(
        "Truth is taken in every usual way",
        arguments: [
            ("true", true), ("1", true), ("\"true\"", true), ("\"TRUE\"", true), ("\"1\"", true), ("\"yes\"", true),
            ("\" Yes \"", true), ("1.0", true), ("false", false), ("0", false), ("\"0\"", false), ("\"false\"", false),
            ("\"no\"", false), ("null", false), ("\"\"", false), ("\"perhaps\"", false), ("[]", false), ("{}", false),
        ])
    func truth(_ value: String, _ expected: Bool) throws {
        let record = #"{"title":"x","isPurchased":\#(value),"isSample":\#(value)}"#
        #expect(try Reading.book(record)?.isPurchased == expected)
        #expect(try Reading.book(record)?.isSample == expected)
    }

    @Test("An author in one string stays one author")
    func splitsNothing() throws {
        let book = try Reading.book(
            #"{"title":"x","author":"J.K. Rowling, Mary GrandPré & others","category":"A / B; C"}"#)
        #expect(book?.authors == [Author(name: "J.K. Rowling, Mary GrandPré & others")])
        #expect(book?.categories == ["A / B; C"])
    }

    @Test("White space around text goes, and what is nothing but that counts as missing")
    func trims() throws {
        let book = try Reading.book(
            #"{"title":" \t\u3000Oblomov\u00a0\n\ufeff","author":["  ","Ivan "],"publisher":" ","id":" 7 ","language":""}"#
        )
        #expect(book?.title == "Oblomov")
        #expect(book?.authors == [Author(name: "Ivan")])
        #expect(book?.publisher == nil)
        #expect(book?.key == "7")
        #expect(book?.language == nil)
    }

    @Test("A NUL in a text is left out")
    func dropsNUL() throws {
        #expect(try Reading.book(#"{"title":"a\u0000b","author":"\u0000"}"#)?.title == "ab")
        #expect(try Reading.book(#"{"title":"a\u0000b","author":"\u0000"}"#)?.authors == [])
    }

    @Test("Unknown fields are ignored, whatever is in them")
    func unknownFields() throws {
        let record = """
            {"x": {"title": "no", "books": [{"title": "no"}], "y": [[{"id": 1}]]}, "title": "yes", "z": [1, {"title": 2}],
             "titles": "no", "aVeryLongNameOfAFieldThatMeansNothing": "no", "": "no", "Title": "no"}
            """
        let reading = try Reading("[\(record), \(record)]")
        #expect(reading.books.map(\.title) == ["yes", "yes"])
        #expect(reading.skipped == [])
    }

    @Test("Of a field that stands twice the last one holds, be it good or bad")
    func duplicateFields() throws {
        let book = try Reading.book(
            #"{"title":"a","title":"b","author":["x","y"],"author":"z","category":"c","category":["d"],"id":[],"id":1}"#
        )
        #expect(book?.title == "b")
        #expect(book?.authors == [Author(name: "z")])
        #expect(book?.categories == ["d"])
        #expect(book?.key == "1")
        #expect(try Reading.fault(#"{"title":"a","title":[]}"#) == "title is neither text nor a number")
        #expect(try Reading.book(#"{"title":"a","isbn":"1","isbn":null}"#)?.isbn == nil)
    }

    @Test(
        "Optional fields of a wrong kind are as if they weren't there",
        arguments: [
            "author", "category", "description", "coverUrl", "isbn", "language", "publisher", "series", "seriesIndex",
            "contents", "mediaType", "lastModified", "purchasedAt", "lastReadDate", "orderId", "price", "storeUrl",
        ])
    func wrongKinds(_ field: String) throws {
        for value in [#"{"a":[1]}"#, "true", "null", "[[1]]"] {
            let book = try Reading.book(#"{"id":1,"title":"x","\#(field)":\#(value)}"#)
            #expect(book == BookRecord(key: "1", title: "x"), "\(field): \(value)")
        }
    }

    @Test(
        "A record is passed over for what could lead to the wrong book or wrong bytes",
        arguments: [
            (#"{}"#, "title is missing"), (#"{"title":null}"#, "title is missing"),
            (#"{"title":" "}"#, "title is empty"),
            (#"{"title":true}"#, "title is neither text nor a number"),
            (#"{"title":["x"]}"#, "title is neither text nor a number"),
            (#"{"title":"x","id":{}}"#, "id is neither text nor a number"),
            (#"{"title":"x","fileSizeInBytes":-1}"#, "fileSizeInBytes is negative"),
            (#"{"title":"x","fileSizeInBytes":"1 MB"}"#, "fileSizeInBytes isn't a whole number of bytes"),
            (#"{"title":"x","fileSizeInBytes":12.5}"#, "fileSizeInBytes isn't a whole number of bytes"),
            (#"{"title":"x","fileSizeInBytes":1e300}"#, "fileSizeInBytes isn't a whole number of bytes"),
            (#"{"title":"x","fileSizeInBytes":"NaN"}"#, "fileSizeInBytes isn't a whole number of bytes"),
            (#"{"title":"x","fileSizeInBytes":9223372036854775807}"#, "fileSizeInBytes is more than 4 TiB"),
            (#"{"title":"x","fileSizeInBytes":[1]}"#, "fileSizeInBytes isn't a number"),
            (#"{"title":"x","sha256":"abc"}"#, "sha256 isn't 64 hexadecimal digits"),
            (#"{"title":"x","sha256":true}"#, "sha256 isn't text"),
            (#"{"title":"x","contentUrl":{}}"#, "contentUrl isn't text"),
            (#"{"title":"x","contentUrl":"http://"}"#, "contentUrl isn't a URL"),
            (#"{"title":"x","contentUrl":"https://h/a\u0007b"}"#, "contentUrl isn't a URL"),
            (#"{"title":"x","contentUrl":"ftp://h/x"}"#, "contentUrl is neither http, https, s3 nor file"),
            (#""Oblomov""#, "the record isn't an object"), ("null", "the record isn't an object"),
            ("12", "the record isn't an object"), (#"[{"title":"x"}]"#, "the record isn't an object"),
            ("false", "the record isn't an object"),
        ])
    func badRecords(_ record: String, _ reason: String) throws {
        let reading = try Reading(#"[{"title":"before"},\#(record),{"title":"behind"}]"#)
        #expect(reading.skipped.map(\.reason) == [reason])
        #expect(reading.skipped.first?.number == 2)
        #expect(reading.books.map(\.title) == ["before", "behind"])
    }

    @Test(
        "A size that is written in another way is still a size",
        arguments: [("1234.0", 1_234), ("1.5e3", 1_500), ("\" 99 \"", 99), ("0", nil), ("\"\"", nil), ("null", nil)]
            as [(String, Int64?)])
    func sizes(_ value: String, _ expected: Int64?) throws {
        let book = try Reading.book(#"{"title":"x","contentUrl":"https://h/x.epub","fileSizeInBytes":\#(value)}"#)
        #expect(book?.content?.byteCount == expected)
        #expect(book?.content != nil)
    }

    @Test("A passed-over record says the key that it would have had, so that its book is left as it is")
    func keysOfBadRecords() throws {
        #expect(try Reading(#"[{"id":"b-7","sha256":"x"}]"#).skipped.first?.key == "b-7")
        let derived = try Reading.book(#"{"title":"Oblomov","author":"Ivan"}"#)?.key
        #expect(try Reading(#"[{"sha256":"x","title":"Oblomov","author":"Ivan"}]"#).skipped.first?.key == derived)
        #expect(try Reading(#"[{"sha256":"x"}]"#).skipped.first?.key == nil)
    }

    @Test("A record without id has the same key for ever")
    func stableKey() throws {
        let key = try Reading.book(#"{"title":"The Idiot","author":["F. Dostoevsky"],"isbn":"0-14-044792-x"}"#)?.key
        #expect(key == "k1:60c635c7abdc5627be172f8546db581a")
        // Neither case, form nor the way of writing the ISBN makes another book; title, author and ISBN do.
        let same = [
            #"{"title":"the IDIOT","author":"F. Dostoevsky","isbn":"014044792X","description":"new","isPurchased":true}"#,
            #"{"title":" The Idiot ","author":"f. dostoevsky","isbn":"0 14 044792 X"}"#,
        ]
        for record in same { #expect(try Reading.book(record)?.key == key, "\(record)") }
        let others = [
            #"{"title":"The Idiots","author":"F. Dostoevsky","isbn":"014044792X"}"#,
            #"{"title":"The Idiot","author":"F. Dostoevsky"}"#,
            #"{"title":"The Idiot","author":["F.","Dostoevsky"],"isbn":"014044792X"}"#,
            #"{"title":"The Idiot","author":"","isbn":"014044792X"}"#,
        ]
        for record in others { #expect(try Reading.book(record)?.key != key, "\(record)") }
        #expect(
            try Reading.book("{\"title\":\"e\u{301}tude\"}")?.key == Reading.book("{\"title\":\"\u{C9}tude\"}")?.key)
    }

    @Test(
        "Dates of ISO 8601 become seconds since 1970",
        arguments: [
            ("1970-01-01", 0), ("2024-02-29", 1_709_164_800), ("2024-02-29T12:00:00Z", 1_709_208_000),
            ("2024-02-29T12:00:00.987Z", 1_709_208_000), ("2024-02-29T12:00:00,5+01:00", 1_709_204_400),
            ("2024-02-29T12:00-0530", 1_709_227_800), ("2024-02-29t12:00z", 1_709_208_000),
            ("2024-02-29 12:00:00+08", 1_709_179_200), ("2024-02-29T12:00:00", 1_709_208_000), ("2024", 1_704_067_200),
            ("2024-03", 1_709_251_200), ("1969-12-31T23:59:59Z", -1), ("0001-01-01", -62_135_596_800),
            ("9999-12-31T24:00:00Z", 253_402_300_800), ("2016-12-31T23:59:60Z", 1_483_228_800), ("2023-02-29", nil),
            ("1900-02-29", nil), ("2000-02-29", 951_782_400), ("2024-13-01", nil), ("2024-00-01", nil),
            ("2024-04-31", nil), ("2024-01-01T25:00Z", nil), ("2024-01-01T10:60Z", nil), ("2024-01-01T", nil),
            ("2024-01-01T10:00:00.Z", nil), ("2024-01-01T10:00:00+1", nil), ("2024-01-01x", nil), ("01/02/2024", nil),
            ("yesterday", nil), ("20240229", nil), ("", nil),
        ] as [(String, Int64?)])
    func dates(_ text: String, _ expected: Int64?) throws {
        #expect(try Reading.book(#"{"title":"x","purchasedAt":"\#(text)"}"#)?.purchasedAt == expected)
    }

    @Test("A language that can't be a tag and a media type that can't be one are left out")
    func languagesAndTypes() throws {
        #expect(try Reading.book(#"{"title":"x","language":"zh_Hans_CN"}"#)?.language == "zh-Hans-CN")
        #expect(try Reading.book(#"{"title":"x","language":"en, fr"}"#)?.language == nil)
        let types = ["\"application/pdf\"", "\"epub\"", "\"a/b/c\"", "\"/\"", "7"].map { type in
            try? Reading.book(#"{"title":"x","contentUrl":"https://h/x","mediaType":\#(type)}"#)?.content?.mediaType
        }
        let epub = "application/epub+zip"
        #expect(types == ["application/pdf", epub, epub, epub, epub])
    }
}
