/// A part of a book that is searched, and the letters by which its terms are told from those of the others.
///
/// A word that stands in a third of all descriptions and in few titles is found in those few at once, since `twinter` is another
/// term than `dwinter`: a filter by column would have to read the whole list of the word.
enum SearchColumn: CaseIterable {
    case title
    case authors
    case description

    /// Begins the terms of words and symbols.
    var word: UInt8 {
        switch self {
        case .title: UInt8(ascii: "t")
        case .authors: UInt8(ascii: "a")
        case .description: UInt8(ascii: "d")
        }
    }

    /// Begins the terms of pairs of characters, and of the last character of a run.
    var pair: UInt8 {
        switch self {
        case .title: UInt8(ascii: "v")
        case .authors: UInt8(ascii: "c")
        case .description: UInt8(ascii: "f")
        }
    }

    /// Begins the terms of single characters.
    var single: UInt8 {
        switch self {
        case .title: UInt8(ascii: "u")
        case .authors: UInt8(ascii: "b")
        case .description: UInt8(ascii: "e")
        }
    }
}
