import Shelf
import Testing

@Suite("How a shelf is arranged")
struct ArrangementTests {
    private func book(
        _ title: String = "The Overcoat", authors: [Author] = [Author(name: "Nikolai Gogol")],
        categories: [String] = ["Fiction"], series: String? = nil, index: Double? = nil, isCalibre: Bool = false
    ) -> BookFacts {
        BookFacts(
            id: BookID(rawValue: 7), title: title, authors: authors, categories: categories, series: series,
            seriesIndex: index, language: "en", publisher: nil, isbn: "978", splitsAtDots: isCalibre)
    }

    /// As a path, with the stem in place of the name.
    private func paths(_ arrangement: Arrangement, _ book: BookFacts) -> [String] {
        arrangement.placements(of: book).map { place in
            (place.folders.map(\.title) + [place.stem ?? book.title]).joined(separator: "|")
        }
    }

    private func filled(_ template: String, _ book: BookFacts) throws -> String {
        paths(Arrangement(try Layout(template)), book).joined(separator: " and ")
    }

    @Test(
        "A template is filled with what the book has; parts that come to nothing are left out",
        arguments: [
            ("{author_sort}/{series}/{series_index:02} {title}", "Gogol, Nikolai|Petersburg|03 The Overcoat"),
            ("{title}", "The Overcoat"),
            ("{{{title}}}", "{The Overcoat}"),
            ("{sort}", "Overcoat, The"),
            ("{title_sort:.1}/{title}", "O|The Overcoat"),
            ("{author:.1s}/{authors}/{id:0>4}", "N|Nikolai Gogol|0007"),
            ("{publisher}/{language}/{isbn}", "en|978"),
            ("{series:|(| no. }{series_index:.1f|#|)} {title}", "(Petersburg no. #3.0) The Overcoat"),
            ("{publisher:|from |}{title}", "The Overcoat"),
            ("{tags}/{title}", "Fiction, Russia|The Overcoat"),
            ("{category}/{title}", "Fiction|The Overcoat and Russia|The Overcoat"),
            ("{title:>15}|", "   The Overcoat|".trimmingSpaces),
            ("{series_index:>4}/x", "3|x"),
            ("a//b/{title}", "a|b|The Overcoat"),
        ])
    func filled(_ template: String, _ wanted: String) throws {
        let book = book(categories: ["Fiction", "Russia"], series: "Petersburg", index: 3)
        #expect(try filled(template, book) == wanted)
    }

    @Test(
        "Without a series nothing of it is left in a name",
        arguments: [
            ("{author_sort}/{series}/{series_index:02} {title}", "Gogol, Nikolai|The Overcoat"),
            ("{series:|(|)}{series_index:02|#|} {title}", "The Overcoat"),
        ])
    func noSeries(_ template: String, _ wanted: String) throws {
        #expect(try filled(template, book()) == wanted)
    }

    @Test(
        "A fault in a template is told with its place",
        arguments: [
            ("{titel}", 2, "titel"), ("{author}/{nothing} {title}", 11, "nothing"), ("{title", 1, "never closed"),
            ("ab}c{title}", 3, "closes nothing"), ("{title:zz}", 8, "zz"), ("{title:|x}", 2, "two bars"),
            ("{author}/", 9, "missing"), ("{title:999}", 8, "999"), ("{}", 2, "no field"),
            ("magazine", 1, "no layout is called “magazine”"), ("", 1, "no layout"),
        ])
    func faults(_ text: String, _ position: Int, _ words: String) {
        #expect(throws: LayoutTemplate.Fault.self) { try Layout(text) }
        do throws(LayoutTemplate.Fault) {
            _ = try Layout(text)
        } catch {
            #expect(error.position == position, "\(text): \(error)")
            #expect(error.reason.contains(words), "\(text): \(error)")
        }
    }

    @Test(
        "Series indexes are written as people write them",
        arguments: [
            (3, "{series_index}", "3"), (2.5, "{series_index}", "2.5"), (2.5, "{series_index:02}", "02.5"),
            (12, "{series_index:03}", "012"), (1.25, "{series_index:.1f}", "1.3"), (0, "{series_index:02}", "00"),
            (-1, "{series_index:02}", "-01"), (1e12, "x{series_index}", "x"),
        ])
    func indexes(_ index: Double, _ template: String, _ wanted: String) throws {
        #expect(try filled(template, book(series: "S", index: index)) == wanted)
    }

    @Test(
        "Layouts put a book where those who read the directories expect it",
        arguments: [
            ("category", "Fiction|T", "Fiction|T"), ("author", "Ann Lee|T", "Ann Lee|T"),
            ("series", "S|02 T", "T"), ("flat", "T", "T"), ("kavita", "S|02 T", "T|T"), ("komga", "S|02 T", "T|T"),
        ])
    func layouts(_ name: String, _ inSeries: String, _ alone: String) throws {
        let arrangement = Arrangement(try Layout(name))
        let authors = [Author(name: "Ann Lee"), Author(name: "Bo")]
        #expect(paths(arrangement, book("T", authors: authors, series: "S", index: 2)) == [inSeries])
        #expect(paths(arrangement, book("T", authors: authors)) == [alone])
        #expect(Arrangement(text: arrangement.text) == arrangement)
    }

    @Test("Views stand beside the layout, each with its own directory")
    func views() throws {
        let arrangement = Arrangement(.flat, views: [.titles, .authors, .series])
        let both = book("A Tale", authors: [Author(name: "Ann"), Author(name: "Bo")], series: "S", index: 1.5)
        #expect(
            paths(arrangement, both) == [
                "A Tale", "Authors|Ann|A Tale", "Authors|Bo|A Tale", "Series|S|01.5 A Tale", "Titles|T|A Tale",
            ])
        let bare = BookFacts(id: BookID(rawValue: 1), title: "1984")
        #expect(paths(arrangement, bare) == ["1984", "Authors|Unknown|1984", "Titles|0-9|1984"])
        #expect(paths(arrangement, book("…!", authors: [])).last == "Titles|#|…!")
        #expect(Arrangement(text: arrangement.text) == arrangement)
    }

    @Test("Nested categories become directories where that is asked for; dots count in Calibre only")
    func split() throws {
        let arrangement = Arrangement(.category, splitsCategories: true)
        #expect(paths(arrangement, book("T", categories: ["Fiction / Crime/Noir"])) == ["Fiction|Crime|Noir|T"])
        #expect(paths(arrangement, book("T", categories: ["Node.js"])) == ["Node.js|T"])
        #expect(paths(arrangement, book("T", categories: ["a.b"], isCalibre: true)) == ["a|b|T"])
        #expect(paths(arrangement, book("T", categories: [" / "])) == [" / |T"])
    }

    @Test(
        "Names of the West are sorted by the last one",
        arguments: [
            ("Jane Austen", "Austen, Jane"), ("Plato", "Plato"), ("Martin Luther King Jr.", "King Jr., Martin Luther"),
            ("Austen, Jane", "Austen, Jane"), ("鲁 迅", "鲁 迅"),
        ])
    func sortedNames(_ name: String, _ wanted: String) throws {
        #expect(try filled("{author_sort}", book(authors: [Author(name: name)])) == wanted)
        #expect(try filled("{author_sort}", book(authors: [Author(name: name, sortName: "X")])) == "X")
    }
}

extension String {
    /// What a part of a path is without its spaces at both ends.
    fileprivate var trimmingSpaces: String { String(drop { $0 == " " }) }
}
