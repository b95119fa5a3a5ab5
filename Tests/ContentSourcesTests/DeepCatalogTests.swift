import ContentSources
import Shelf
import Testing

@Suite("Catalogs whose feeds lead to one another")
struct DeepCatalogTests {
    @Test("Feeds that lie too deep have the catalog refused: passed over, their books would be taken for gone")
    func tooDeep() throws {
        let home = FeedTests.home
        var pages: [String: String] = [:]
        for number in 0...5 {
            let next = FeedTests.link("subsection", "\(home)/\(number + 1)")
            let entry = "<entry><id>\(number)</id><title>T</title>\(next)</entry>"
            pages[number == 0 ? home : "\(home)/\(number)"] = FeedTests.feed(entry)
        }
        var limits = CatalogWalk.Limits()
        limits.depth = 3
        let error = #expect(throws: SourceError.self) { try FeedPages(pages).walk(home, limits: limits) }
        #expect(error?.reason.contains("more than 3 times") == true)
        // One that leads back is none of them.
        limits.depth = 5
        pages["\(home)/5"] = FeedTests.feed(
            "<entry><id>5</id><title>T</title>\(FeedTests.link("subsection", home))</entry>")
        #expect(try FeedPages(pages).walk(home, limits: limits).isEmpty)
    }
}
