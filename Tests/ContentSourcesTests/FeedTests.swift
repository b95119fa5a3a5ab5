import ContentSources
import Shelf
import Testing

@Suite("OPDS catalogs")
struct FeedTests {
    static let home = "https://books.example/opds/home"

    static func feed(_ body: String, attributes: String = "") -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <feed xmlns="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/terms/"
            xmlns:opds="http://opds-spec.org/2010/catalog" xmlns:schema="http://schema.org/" \(attributes)>\(body)</feed>
        """
    }

    private static func entry(_ id: String, _ links: String, title: String? = nil) -> String {
        "<entry><id>\(id)</id><title>\(title ?? id)</title><updated>2024-05-31T08:30:00Z</updated>\(links)</entry>"
    }

    private static func epub(_ href: String, rel: String = "http://opds-spec.org/acquisition", _ more: String = "")
        -> String
    {
        "<link rel='\(rel)' href='\(href)' type='application/epub+zip' \(more)/>"
    }

    private static func leading(to href: String, rel: String = "subsection") -> String {
        entry("nav \(href)", "<link rel='\(rel)' href='\(href)' type='application/atom+xml;profile=opds-catalog'/>")
    }

    static func link(_ rel: String, _ href: String) -> String {
        "<link rel='\(rel)' href='\(href)' type='application/atom+xml;profile=opds-catalog'/>"
    }

    private func walk(_ pages: [String: String]) throws -> (records: [SourceRecord], requests: [String]) {
        let pages = FeedPages(pages)
        return (try pages.walk(Self.home), pages.requests)
    }

    private func book(_ links: String) throws -> BookRecord? {
        try walk([Self.home: Self.feed(Self.entry("a", links))]).records.books.first
    }

    @Test("An entry becomes a book with all that it states")
    func entry() throws {
        let entry = """
            <entry><title type="html">Oblomov &amp;amp; more</title><id>urn:uuid:1</id>
            <updated>2024-05-31T08:30:00Z</updated>
            <author><name>Ivan  Goncharov</name></author><author><name>C. Hogarth</name></author>
            <contributor><name>nobody</name></contributor>
            <category term="FIC004000" label="Classics"/><category term="Russian"/><category label="Classics" term="x"/>
            <dc:language>eng</dc:language><dc:publisher>Gutenberg</dc:publisher><dc:identifier>urn:isbn:9780140449877</dc:identifier>
            <schema:Series name="Works" schema:position="2"/>
            <summary>short</summary>
            <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>He <b>lies</b>&nbsp;on 1 &lt; 2 sofas.</p><p>Still.</p></div></content>
            <link rel="http://opds-spec.org/image/thumbnail" href="t.jpg" type="image/jpeg"/>
            <link rel="http://opds-spec.org/image" href="c.jpg" type="image/jpeg"/>
            <link rel="http://opds-spec.org/acquisition/open-access" href="o.epub" length="1234" type="application/epub+zip"/>
            </entry>
            """
        let book = try #require(try walk([Self.home: Self.feed(entry)]).records.books.first)
        #expect(book.key == "urn:uuid:1")
        #expect(book.title == "Oblomov & more")
        #expect(book.authors.map(\.name) == ["Ivan Goncharov", "C. Hogarth"])
        #expect(book.categories == ["Classics", "Russian"])
        #expect(book.language == "en")
        #expect(book.publisher == "Gutenberg")
        #expect(book.isbn == "9780140449877")
        #expect(book.series == "Works")
        #expect(book.seriesIndex == 2)
        #expect(book.description == "He lies on 1 < 2 sofas.\nStill.")
        #expect(book.coverURL == "https://books.example/opds/c.jpg")
        #expect(book.isPurchased && !book.isSample)
        #expect(book.content?.url == "https://books.example/opds/o.epub")
        #expect(book.content?.byteCount == 1_234)
        #expect(book.content?.modifiedAt == 1_717_144_200)
        #expect(book.content?.sha256 == nil)
    }

    @Test("Relative links mean what xml:base says, on every level")
    func bases() throws {
        let body =
            "<entry xml:base='deep/'><id>a</id><title>a</title><link xml:base='er/' rel='http://opds-spec.org/acquisition' href='../x.epub?a=1&amp;b=2' type='application/epub+zip'/></entry>"
        let feed = Self.feed(body, attributes: "xml:base='https://cdn.example/base/feed'")
        let book = try walk([Self.home: feed]).records.books.first
        #expect(book?.content?.url == "https://cdn.example/base/deep/x.epub?a=1&b=2")
    }

    @Test("What a person may read counts as purchased, what is for sale doesn't, a sample is a sample")
    func acquisitions() throws {
        let prefix = "http://opds-spec.org/acquisition"
        for rel in ["", "/open-access", "/borrow", "/subscribe"] {
            let book = try book(Self.epub("x.epub", rel: prefix + rel))
            #expect(book?.isPurchased == true && book?.content != nil, "\(rel)")
        }
        let sale = try book(
            "<link rel='\(prefix)/buy' href='buy' type='application/epub+zip'><opds:price currencycode='EUR'>12.50</opds:price></link>"
        )
        #expect(sale?.isPurchased == false && sale?.content == nil)
        #expect(sale?.storeURL == "https://books.example/opds/buy")
        #expect(sale?.price == "12.50 EUR")
        let sample = try book(Self.epub("s.epub", rel: prefix + "/sample") + Self.epub("b.epub", rel: prefix + "/buy"))
        #expect(sample?.isSample == true && sample?.isPurchased == false)
        #expect(sample?.content?.url.hasSuffix("s.epub") == true)
        let both = try book(Self.epub("s.epub", rel: "preview") + Self.epub("b.epub"))
        #expect(both?.isSample == false && both?.content?.url.hasSuffix("b.epub") == true)
    }

    @Test(
        "A book without an EPUB that can be had is listed without content",
        arguments: [
            "type='application/vnd.readium.lcp.license.v1.0+json'", "type='application/vnd.adobe.adept+xml'",
            "type='application/pdf'", "type='application/atom+xml;type=entry'", "",
        ])
    func unavailable(_ type: String) throws {
        let book = try book("<link rel='http://opds-spec.org/acquisition' href='x' \(type)/>")
        #expect(book?.isPurchased == true)
        #expect(book != nil && book?.content == nil)
    }

    @Test("An EPUB behind a licence, or one that all others have borrowed, isn't content")
    func indirect() throws {
        let start = "<link rel='http://opds-spec.org/acquisition/borrow' href='x.epub' type='application/epub+zip'>"
        let licence = try book(start + "<opds:indirectAcquisition type='application/epub+zip'/></link>")
        #expect(licence != nil && licence?.content == nil)
        let lent = try book(start + "<opds:availability status='unavailable'/></link>")
        #expect(lent != nil && lent?.content == nil)
        #expect(try book(start + "<opds:availability status='available'/></link>")?.content != nil)
    }

    @Test("Of several EPUBs the preferred form is taken, of one form the first")
    func preference() throws {
        let links =
            Self.epub("a.kepub.epub") + Self.epub("b.epub") + Self.epub("c_advanced.epub")
            + "<link rel='http://opds-spec.org/acquisition' href='d' type='application/kepub+zip'/>"
        let pages = FeedPages([Self.home: Self.feed(Self.entry("a", links))])
        let plain = try pages.walk(Self.home).books.first?.content
        #expect(plain?.url.hasSuffix("/b.epub") == true)
        #expect(plain?.mediaType == "application/epub+zip")
        let kobo = try pages.walk(Self.home, preference: [.kepub, .epub]).books.first?.content
        #expect(kobo?.url.hasSuffix("/a.kepub.epub") == true)
        #expect(kobo?.mediaType == "application/kepub+zip")
        #expect(BookFormat.list("kepub, epub") == [.kepub, .epub])
        #expect(BookFormat.list("epub,pdf") == nil)
        #expect(BookFormat.list("") == nil)
    }

    @Test("A feed of one network names no file of this machine")
    func files() throws {
        #expect(try book(Self.epub("file:///etc/passwd"))?.content == nil)
        let feed = Self.feed(Self.entry("a", Self.epub("passwd")), attributes: "xml:base='file:///etc/'")
        #expect(try walk([Self.home: feed]).records.books.first?.content == nil)
        for next in ["file:///etc/passwd", "ftp://books.example/x", "urn:x"] {
            #expect(throws: SourceError.self) { try walk([Self.home: Self.feed(Self.link("next", next))]) }
        }
        for server in ["http://127.0.0.1:631/", "http://localhost/", "http://[::1]/"] {
            #expect(throws: SourceError.self) { try walk([Self.home: Self.feed(Self.link("next", server))]) }
        }
    }

    @Test("All pages are walked, each once, and each book is handed on once")
    func paging() throws {
        let (records, requests) = try walk([
            Self.home: Self.feed(Self.link("next", "2") + Self.entry("a", Self.epub("a.epub"))),
            "https://books.example/opds/2": Self.feed(
                Self.entry("a", Self.epub("a.epub")) + Self.entry("b", Self.epub("b.epub")) + Self.link("next", "3")),
            "https://books.example/opds/3": Self.feed(
                Self.entry("c", Self.epub("c.epub")) + Self.link("next", "home#again")),
        ])
        #expect(records.books.map(\.key) == ["a", "b", "c"])
        #expect(requests.count == 3)
    }

    @Test("Feeds that entries lead to are walked breadth first, on the catalog's own server alone")
    func navigation() throws {
        let (records, requests) = try walk([
            Self.home: Self.feed(
                Self.leading(to: "new") + Self.leading(to: "https://elsewhere.example/") + Self.leading(to: "authors")
                    + Self.link("search", "s?q={searchTerms}") + Self.link("up", "up")
                    + Self.link("http://opds-spec.org/facet", "facet")),
            "https://books.example/opds/new": Self.feed(Self.entry("a", Self.epub("a.epub"))),
            "https://books.example/opds/authors": Self.feed(Self.leading(to: "authors/x") + Self.leading(to: "home")),
            "https://books.example/opds/authors/x": Self.feed(
                Self.entry("a", Self.epub("a.epub")) + Self.entry("b", Self.epub("b.epub"))),
        ])
        #expect(records.books.map(\.key) == ["a", "b"])
        #expect(
            requests.map { $0.dropFirst("https://books.example/opds/".count) } == [
                "home", "new", "authors", "authors/x",
            ])
    }

    @Test("A book leads to the feed that it stands for, and neither to that of its author nor to itself")
    func groups() throws {
        let links =
            Self.epub("a.epub") + Self.link("collection", "lane") + Self.link("related", "like-it")
            + Self.link("contents", "x")
            + "<author><name>Ann</name>" + Self.link("contributor", "ann") + "</author>"
        let (records, requests) = try walk([
            Self.home: Self.feed(Self.entry("a", links)),
            "https://books.example/opds/lane": Self.feed(Self.entry("b", Self.epub("b.epub"))),
        ])
        #expect(records.books.map(\.key) == ["a", "b"])
        #expect(requests.count == 2)
    }

    @Test("What looks like mark-up in a title stays, unless the title is said to be HTML")
    func titles() throws {
        let entry = Self.entry("a", Self.epub("a.epub"), title: "A &lt;tag&gt; and an R&amp;amp;D")
        #expect(try walk([Self.home: Self.feed(entry)]).records.books.first?.title == "A <tag> and an R&amp;D")
        let html = entry.replacing("<title>", with: "<title type='html'>")
        #expect(
            try walk([Self.home: Self.feed(html)]).records.books.first?.title
                == "A  and an R&D".replacing("  ", with: " "))
    }

    @Test("A catalog that has moved is walked on the server where it is now")
    func moved() throws {
        let pages = FeedPages([
            "https://new.example/opds/": Self.feed(
                Self.leading(to: "new") + Self.leading(to: "https://books.example:8080/x")),
            "https://new.example/opds/new": Self.feed(Self.entry("a", Self.epub("a.epub"))),
        ])
        pages.moved[Self.home] = "https://new.example/opds/"
        #expect(try pages.walk(Self.home).books.map(\.content?.url) == ["https://new.example/opds/a.epub"])
        #expect(pages.requests == [Self.home, "https://new.example/opds/new"])
    }

    @Test("The shelf goes before the feed of everything, and that before navigation; what is sold there is owned")
    func shelf() throws {
        let shelf = Self.link("http://opds-spec.org/shelf", "shelf")
        let all = Self.link("http://opds-spec.org/crawlable", "all")
        let shown = Self.entry("shown", Self.epub("x.epub")) + Self.leading(to: "more")
        let pages = [
            "https://books.example/opds/shelf": Self.feed(
                Self.entry("mine", Self.epub("m.epub", rel: "http://opds-spec.org/acquisition/buy"))),
            "https://books.example/opds/all": Self.feed(Self.entry("any", Self.epub("a.epub"))),
        ]
        let owned = try walk(pages.merging([Self.home: Self.feed(shown + all + shelf)]) { $1 })
        #expect(owned.records.books.map(\.key) == ["mine"])
        #expect(owned.records.books.first?.isPurchased == true && owned.records.books.first?.content != nil)
        let everything = try walk(pages.merging([Self.home: Self.feed(shown + all)]) { $1 })
        #expect(everything.records.books.map(\.key) == ["any"])
    }

    @Test("A book that one feed has without content is taken from the feed that has it")
    func better() throws {
        let (records, _) = try walk([
            Self.home: Self.feed(
                Self.entry("a", "<link rel='http://opds-spec.org/acquisition' href='x.pdf' type='application/pdf'/>")
                    + Self.entry(
                        "p", "<link rel='http://opds-spec.org/acquisition' href='x.pdf' type='application/pdf'/>")
                    + Self.link("next", "2")),
            "https://books.example/opds/2": Self.feed(Self.entry("a", Self.epub("a.epub"))),
        ])
        #expect(records.books.map(\.key) == ["a", "p"])
        #expect(records.books.map { $0.content != nil } == [true, false])
    }

    @Test("Sizes that the server contradicts aren't taken, of this book or any later one")
    func sizes() throws {
        let entries = (1...5).map { Self.entry("\($0)", Self.epub("\($0).epub", "length='100'")) }
        let pages = FeedPages([Self.home: Self.feed(entries.joined())])
        #expect(try pages.walk(Self.home).books.map(\.content?.byteCount) == [100, 100, 100, 100, 100])
        pages.byteCounts = ["https://books.example/opds/1.epub": 100, "https://books.example/opds/2.epub": 101]
        #expect(try pages.walk(Self.home).books.map(\.content?.byteCount) == [100, nil, nil, nil, nil])
        // A few are asked, not all.
        pages.byteCounts = ["https://books.example/opds/4.epub": 101]
        #expect(try pages.walk(Self.home).books.map(\.content?.byteCount) == [100, 100, 100, 100, 100])
    }

    @Test(
        "A page that can't be had or read ends the walk with an error that says which",
        arguments: ["", "<feed", "<html/>", "{}", "[]", "{\"metadata\""])
    func brokenPage(_ page: String) throws {
        let first = Self.feed(Self.entry("a", Self.epub("a.epub")) + Self.link("next", "2?key=secret"))
        let error = #expect(throws: SourceError.self) {
            try walk([Self.home: first, "https://books.example/opds/2?key=secret": page])
        }
        #expect(error?.reason.contains("page 2 of the catalog, at https://books.example,") == true)
        #expect(error?.reason.contains("secret") == false)
        #expect(throws: SourceError.self) { try walk([Self.home: first]) }
    }

    @Test("Pages without end are refused when there are too many, and so are too many bytes")
    func bounds() throws {
        final class Endless: FeedPageSource {
            func byteCount(of url: String) -> Int64? { nil }

            func bring(
                _ url: String, begin: (String) -> Void, take: (Span<UInt8>) throws(SourceError) -> Void
            ) throws(SourceError) -> String? {
                begin(url)
                try take(Array(FeedTests.feed(FeedTests.link("next", url + "x")).utf8).span)
                return nil
            }
        }
        var limits = CatalogWalk.Limits()
        limits.pageCount = 50
        var walk = CatalogWalk(start: Self.home, preference: [.epub], limits: limits)
        let error = #expect(throws: SourceError.self) {
            try walk.run(from: Endless()) { (_) throws(SourceError) in }
        }
        #expect(error?.reason.contains("more than 50 pages") == true)
        #expect(walk.pageCount == 50)

        limits.byteCount = 10_000
        var long = CatalogWalk(start: Self.home, preference: [.epub], limits: limits)
        #expect(throws: SourceError.self) { try long.run(from: Endless()) { (_) throws(SourceError) in } }
        #expect(long.pageCount < 50)
        limits = CatalogWalk.Limits()
        limits.pageByteCount = 1_000
        let page = Self.feed(String(repeating: " ", count: 1_000))
        #expect(throws: SourceError.self) { try FeedPages([Self.home: page]).walk(Self.home, limits: limits) }
    }

    @Test("An entry without title is reported, and one that is too large, and the others go on")
    func badEntries() throws {
        let large = String(repeating: "x", count: 9 << 20)
        let (records, _) = try walk([
            Self.home: Self.feed(
                Self.entry("a", Self.epub("a.epub"), title: "")
                    + Self.entry("b", Self.epub("b.epub") + "<summary>\(large)</summary>")
                    + Self.entry("c", Self.epub("c.epub")))
        ])
        #expect(records.books.map(\.key) == ["c"])
        #expect(records.skipped.map(\.key) == ["a", "b"])
        #expect(records.skipped.map(\.number) == [1, 2])
    }

    @Test("Encodings other than Unicode are read, by the declaration")
    func encodings() throws {
        let body = Self.entry("a", Self.epub("a.epub"), title: "X")
        let latin = Self.feed(body).replacing("UTF-8", with: "windows-1252").replacing("X", with: "€")
        let bytes = Array(latin.unicodeScalars.map { $0 == "€" ? 0x80 : UInt8(truncatingIfNeeded: $0.value) })
        #expect(try FeedPages(bytes: [Self.home: bytes]).walk(Self.home).books.first?.title == "€")
        let odd = Self.feed(body).replacing("UTF-8", with: "MARTIAN")
        let error = #expect(throws: SourceError.self) { try walk([Self.home: odd]) }
        #expect(error?.reason.contains("MARTIAN") == true)
        let blank = "\n " + Self.feed(body)
        #expect(try walk([Self.home: blank]).records.books.count == 1)
    }

    @Test("OPDS 2.0 says the same in JSON")
    func opds2() throws {
        let page = """
            {"metadata": {"title": "x"}, "links": [{"rel": ["next"], "href": "/2", "type": "application/opds+json"}],
             "publications": [{"metadata": {"title": {"fr": "Titre", "en": "Title"}, "identifier": "urn:isbn:123", "author":
                [{"name": "Ann", "sortAs": "Nn"}, "Bob"], "language": ["fre"], "subject": [{"name": "A"}, "B"], "modified": "2024-05-31T08:30:00Z",
                "publisher": {"name": "P"}, "description": "<p>x</p>", "belongsTo": {"series": {"name": "S", "position": 1.5}}},
              "links": [{"rel": "http://opds-spec.org/acquisition/open-access", "href": "a.epub", "type": "application/epub+zip", "size": 7}],
              "images": [{"href": "c.jpg", "type": "image/jpeg"}]},
              {"metadata": {"title": "For sale"}, "links": [{"rel": "buy", "href": "s", "type": "text/html", "properties": {"price": {"value": 1.5, "currency": "EUR"}}}]},
              {"metadata": {"title": "Licence"}, "links": [{"rel": "borrow", "href": "l", "type": "application/epub+zip", "properties": {"indirectAcquisition": [{"type": "x"}]}}]}],
             "groups": [{"metadata": {"title": "g"}, "links": [{"rel": "self", "href": "/g", "type": "application/opds+json"}]}]}
            """
        let (records, requests) = try walk([
            Self.home: page,
            "https://books.example/2": #"{"metadata": {"title": "x"}, "publications": []}"#,
            "https://books.example/g":
                #"{"metadata": {"title": "x"}, "navigation": [{"href": "home", "type": "application/opds+json", "title": "x"}], "links": []}"#,
            "https://books.example/home": #"{"metadata": {"title": "x"}, "navigation": []}"#,
        ])
        #expect(requests.count == 4)
        let book = try #require(records.books.first)
        #expect(book.title == "Title")
        #expect(book.key == "urn:isbn:123" && book.isbn == "123")
        #expect(book.authors == [Author(name: "Ann", sortName: "Nn"), Author(name: "Bob")])
        #expect(book.categories == ["A", "B"])
        #expect(book.language == "fr" && book.publisher == "P" && book.description == "x")
        #expect(book.series == "S" && book.seriesIndex == 1.5)
        #expect(book.coverURL == "https://books.example/opds/c.jpg")
        #expect(book.content?.url == "https://books.example/opds/a.epub")
        #expect(book.content?.byteCount == 7 && book.content?.modifiedAt == 1_717_144_200)
        #expect(records.books.map(\.isPurchased) == [true, false, true])
        #expect(records.books.map { $0.content != nil } == [true, false, false])
        #expect(records.books[1].price == "1.5 EUR")
        #expect(records.books[1].storeURL == "https://books.example/opds/s")
    }

    @Test("A document that asks for a login is told from a feed")
    func login() throws {
        let document =
            #"{"id": "x", "title": "Library", "authentication": [{"type": "http://opds-spec.org/auth/oauth/implicit"}]}"#
        let error = #expect(throws: SourceError.self) { try walk([Self.home: document]) }
        guard case .denied(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("Library") && reason.contains("in a browser"))
    }

    @Test(
        "Languages become tags of BCP 47",
        arguments: [("eng", "en"), ("ger", "de"), ("zh_CN", "zh-CN"), ("zho", "zh"), ("grc", "grc")])
    func languages(_ written: String, _ tag: String) throws {
        let entry = Self.entry("a", Self.epub("a.epub") + "<dc:language>\(written)</dc:language>")
        #expect(try walk([Self.home: Self.feed(entry)]).records.books.first?.language == tag)
    }
}
