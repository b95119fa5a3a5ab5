import Shelf

/// Invented books, half of them English and half Chinese, in which words are as frequent as in real ones: the word of rank N about
/// a N-th as often as the first.
///
/// `the` and `的` stand in two thirds of the books of their language, so each in a third of all.
struct InventedShelf {
    let count: Int
    private let english: [String]
    private let chinese: [String]

    /// Ranks, drawn uniformly to get words as frequent as they are.
    private let ranks: [Int]

    init(count: Int) {
        self.count = count
        var random = Dice(seed: 1)
        let syllables = (0..<60).map { _ in
            String("bcdfghklmnprstvw".randomElement(using: &random) ?? "b")
                + String("aeiou".randomElement(using: &random) ?? "a")
                + (["", "", "n", "r", "st"].randomElement(using: &random) ?? "")
        }
        english = (0..<40_000).map { rank in
            (0..<(rank < 200 ? 2 : 3)).map { _ in syllables.randomElement(using: &random) ?? "ba" }.joined()
                + (rank < 200 ? "" : rank % 3 == 0 ? "s" : "")
        }
        let characters = (0..<3_500).map { _ in
            Unicode.Scalar(UInt32(0x4E00 + random.below(0x5000))).map(Character.init) ?? "一"
        }
        chinese = (0..<40_000).map { _ in
            let first = min(random.below(3_500), random.below(3_500)), second = random.below(3_500)
            return String([characters[first], characters[second]])
        }
        var ranks: [Int] = []
        var rank = 0
        while ranks.count < 400_000, rank < 40_000 {
            ranks += Array(repeating: rank, count: max(1, 30_000 / (rank + 3)))
            rank += 1
        }
        self.ranks = ranks
    }

    func word(_ random: inout Dice) -> String { english[ranks[random.below(ranks.count)]] }
    func chineseWord(_ random: inout Dice) -> String { chinese[ranks[random.below(ranks.count)]] }

    /// The title of a book, by its number.
    func title(_ number: Int) -> String {
        var random = Dice(seed: UInt64(number) &* 3 &+ 1)
        if number % 2 == 0 {
            let words = (0..<2 + random.below(4)).map { _ in word(&random) }.joined(separator: " ")
            return random.below(3) == 0 ? "The \(words)" : words
        }
        let title = (0..<2 + random.below(3)).map { _ in chineseWord(&random) }.joined()
        return number % 50 == 1 ? title + " 📚" : title
    }

    func book(_ number: Int) -> BookRecord {
        var random = Dice(seed: UInt64(number) &* 3 &+ 2)
        var book = BookRecord(key: "\(number)", title: title(number))
        book.isPurchased = number % 3 == 0
        book.categories = ["Category \(number % 40)"]
        if number % 2 == 0 {
            book.authors = [
                Author(name: "\(english[random.below(5_000)].capitalized) \(english[random.below(30_000)].capitalized)")
            ]
            let words = (0..<20 + random.below(30)).map { _ in word(&random) }.joined(separator: " ")
            book.description = (random.below(3) < 2 ? "The " : "") + words + (number % 40 == 0 ? " café." : ".")
        } else {
            book.authors = [Author(name: chinese[random.below(20_000)])]
            let words = (0..<20 + random.below(25)).map { _ in chineseWord(&random) }.joined()
            book.description = words + (random.below(3) < 2 ? "的" : "") + "。"
        }
        var content = ContentStatement(url: "https://books.example/\(number).epub")
        content.byteCount = 200_000 + Int64(number % 900_000)
        book.content = content
        return book
    }

    /// Kinds of what people type, each with one that it makes.
    var queries: [(kind: String, make: (inout Dice) -> String)] {
        func anyTitle(_ random: inout Dice, _ parity: Int) -> String { title(random.below(count / 2) * 2 + parity) }
        return [
            ("a word in a third of all books", { _ in "the" }),
            ("a Chinese character in a third of all books", { _ in "的" }),
            ("one of the twenty most common words", { english[$0.below(20)] }),
            ("two of the twenty most common words", { "\(english[$0.below(20)]) \(english[$0.below(20)])" }),
            ("a word", { word(&$0) }),
            ("two words", { "\(word(&$0)) \(word(&$0))" }),
            ("three words", { "\(word(&$0)) \(word(&$0)) \(word(&$0))" }),
            ("the beginning of a word, two letters", { String(word(&$0).prefix(2)) }),
            ("the beginning of a word, three letters", { String(word(&$0).prefix(3)) }),
            ("the beginning of a word, four letters", { String(word(&$0).prefix(4)) }),
            ("a word and the beginning of another", { "\(word(&$0)) \(word(&$0).prefix(2))" }),
            ("one Chinese character", { String(chineseWord(&$0).prefix(1)) }),
            ("two Chinese characters", { chineseWord(&$0) }),
            ("four Chinese characters of a title", { String(anyTitle(&$0, 1).prefix(4)) }),
            ("two Chinese words", { "\(chineseWord(&$0)) \(chineseWord(&$0))" }),
            ("English and Chinese", { "\(word(&$0)) \(chineseWord(&$0))" }),
            (
                "a phrase of a title",
                { "\"" + anyTitle(&$0, 0).split(separator: " ").prefix(2).joined(separator: " ") + "\"" }
            ),
            ("a phrase of common words", { "\"\(english[$0.below(20)]) \(english[$0.below(20)])\"" }),
            ("a whole title", { anyTitle(&$0, 0) }),
            ("with an accent", { _ in "CAFÉ" }),
            ("in full width", { "ＴＨＥ \(word(&$0))" }),
            ("an emoji", { _ in "📚" }),
            ("operators", { "NOT (\(word(&$0)) AND* ^\"\(word(&$0))" }),
            ("a word that no book has", { "zzqq\(word(&$0))" }),
        ]
    }
}

/// Numbers that are the same in every run.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 ^ 0xD6E8_FEB8_6659_FD93 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

extension String {
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
