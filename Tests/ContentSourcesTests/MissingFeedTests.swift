import ContentSources
import Shelf
import Testing

@Suite("Feeds that aren't there")
struct MissingFeedTests {
    private let home = "https://books.example/opds"
    private let gone = "https://books.example/opds/letter/"
    private let there = "https://books.example/opds/new"

    private func feed(_ body: String) -> String {
        "<feed xmlns='http://www.w3.org/2005/Atom'>\(body)</feed>"
    }

    private func leading(to url: String) -> String {
        "<entry><id>\(url)</id><title>x</title><link rel='subsection' href='\(url)' type='application/atom+xml'/></entry>"
    }

    private var book: String {
        "<entry><id>a</id><title>A</title>"
            + "<link rel='http://opds-spec.org/acquisition' href='a.epub' type='application/epub+zip'/></entry>"
    }

    @Test("A feed that an entry leads to and that isn't there is reported, and the books of the others come")
    func missingFeed() throws {
        let pages = FeedPages([home: feed(leading(to: gone) + leading(to: there)), there: feed(book)])
        pages.missing = [gone: 1]
        let records = try pages.walk(home)
        #expect(records.books.map(\.key) == ["a"])
        #expect(records.skipped.map(\.reason) == ["page 2 of the catalog: no such page"])
        // Whether the server is all there is asked where that was last known.
        #expect(pages.requests == [home, gone, there, home])
    }

    @Test("The same of a server that in the end has no first page either ends the walk")
    func missingServer() throws {
        let pages = FeedPages([home: feed(leading(to: gone) + leading(to: there)), there: feed(book)])
        pages.missing = [gone: 1, home: 2]
        #expect(throws: SourceError.refused(reason: "no such page")) { try pages.walk(home) }
    }

    @Test("A first page, a page behind another and a shelf that aren't there end the walk")
    func missingPart() throws {
        let next = "<link rel='next' href='\(gone)' type='application/atom+xml'/>"
        let shelf = "<link rel='http://opds-spec.org/shelf' href='\(gone)' type='application/atom+xml'/>"
        for body in [next, shelf] {
            let pages = FeedPages([home: feed(body + book)])
            pages.missing = [gone: 1]
            #expect(throws: SourceError.refused(reason: "page 2 of the catalog: no such page")) { try pages.walk(home) }
        }
        let pages = FeedPages([home: feed(book)])
        pages.missing = [home: 1]
        #expect(throws: SourceError.refused(reason: "no such page")) { try pages.walk(home) }
    }

    @Test("Where nothing is missing the first page is asked for once")
    func nothingMissing() throws {
        let pages = FeedPages([home: feed(leading(to: there)), there: feed(book)])
        _ = try pages.walk(home)
        #expect(pages.requests == [home, there])
    }
}
