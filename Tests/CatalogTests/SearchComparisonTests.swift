import Catalog
import Foundation
import Shelf
import Testing

/// Compares the index with a plain look at every book, made with other means: Foundation's folding, and strings instead of terms.
@Suite("Search compared with a plain scan")
struct SearchComparisonTests {
    private static let bookCount = 250

    @Test("A thousand random queries find what a scan of all books finds, in the same order, before and after changes")
    func sameAsScan() throws {
        var random = Numbers(state: 20_261_130)
        let catalog = try TemporaryCatalog()
        var books = (0..<Self.bookCount).map { Self.book($0, &random) }
        let shelf = try SearchedShelf(catalog, books)
        try compare(500, shelf, books, &random)
        // Some changed, some gone, some new: few enough for the index to follow.
        for number in stride(from: 0, to: Self.bookCount, by: 7) { books[number] = Self.book(number, &random) }
        books.removeAll { Int($0.key).map { $0 % 31 == 5 } ?? false }
        books += (Self.bookCount..<Self.bookCount + 40).map { Self.book($0, &random) }
        try catalog.replace(books, samples: .never)
        try shelf.index()
        try compare(500, shelf, books, &random)
    }

    private func compare(_ count: Int, _ shelf: SearchedShelf, _ books: [BookRecord], _ random: inout Numbers) throws {
        var queries = try CatalogQueries(path: shelf.catalog.path)
        var numbers: [String: BookID] = [:]
        try queries.forEachBook { numbers[$0.key] = $0.id }
        let scanned = books.compactMap { record in numbers[record.key].map { ScannedBook(record, $0) } }
        var foundCount = 0
        for _ in 0..<count {
            let typed = Self.query(books, &random)
            let all = random.below(2) == 0
            let limit = random.below(3) == 0 ? nil : 1 + random.below(20)
            let expected = try PlainScan(typed).find(scanned, all: all)
            let found = try queries.search(SearchQuery(typed), includesUnpurchased: all, limit: limit)
            #expect(
                found.books == Array(expected.prefix(limit ?? Int.max)), "“\(typed)”, all: \(all), limit: \(limit ?? 0)"
            )
            #expect(found.total == expected.count, "“\(typed)”, all: \(all), limit: \(limit ?? 0)")
            foundCount += expected.count
        }
        // Queries that find nothing would compare nothing.
        #expect(foundCount > count * 3)
    }

    // MARK: - Random books and queries

    private static let words =
        [
            "the", "of", "winter", "wintergreen", "Wind", "win", "Wine", "river", "Art", "War", "warm", "Crème", "Café",
            "élan", "naïve", "the",
            "a", "I", "1984", "19", "Ο'Σ", "мир", "Ёлка", "C", "x",
        ]
    private static let characters = Array("三体国演义语言程序的的的的一地球往事刘慈欣")
    private static let emoji = ["📚", "👍", "❤️"]

    private static func book(_ number: Int, _ random: inout Numbers) -> BookRecord {
        var record = CatalogTests.book(
            "\(number)", title: text(1 + random.below(4), &random), category: "C\(number % 3)")
        record.authors = (0..<random.below(3)).map { _ in Author(name: text(1 + random.below(2), &random)) }
        record.description = random.below(5) == 0 ? nil : text(random.below(12), &random)
        record.isPurchased = random.below(3) > 0
        return record
    }

    private static func text(_ count: Int, _ random: inout Numbers) -> String {
        var text = ""
        for _ in 0..<count {
            text += [" ", " ", " ", "-", ", ", ""][random.below(6)]
            switch random.below(10) {
            case 0..<6: text += words[random.below(words.count)]
            case 6..<9: text += String((0...random.below(4)).map { _ in characters[random.below(characters.count)] })
            default: text += emoji[random.below(emoji.count)]
            }
        }
        return text
    }

    private static func query(_ books: [BookRecord], _ random: inout Numbers) -> String {
        var typed: String
        if random.below(3) == 0 {
            // A part of a title.
            let title = Array(books[random.below(books.count)].title)
            let start = random.below(max(1, title.count))
            typed = String(title[start..<min(title.count, start + 1 + random.below(8))])
        } else {
            typed = text(1 + random.below(3), &random)
        }
        if random.below(3) == 0 { typed = String(typed.prefix(1 + random.below(max(1, typed.count)))) }
        switch random.below(8) {
        case 0: typed = "\"" + typed + "\""
        case 1: typed = "\"" + typed
        case 2: typed = typed.uppercased()
        case 3: typed += " " + ["AND", "(", "*", "-", "NOT \"", "^"][random.below(6)]
        default: break
        }
        return typed
    }
}

/// Numbers that are the same in every run.
private struct Numbers {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }
}
