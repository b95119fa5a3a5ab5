internal import Shelf
internal import TextForms

/// What is searched of a book.
struct SearchDocument {
    let title: String

    /// The names of the authors, and those of their sort forms that say more.
    let names: [String]
    let description: String

    /// How much of a description is searched, in bytes.
    private static var maximumDescriptionByteCount: Int { 32 << 10 }

    init(title: String, authors: [Author], description: String?) {
        self.title = title.foldedForSearch
        var names: [String] = []
        for author in authors {
            let name = author.name.foldedForSearch
            names.append(name)
            // "Merrow, Ada" says nothing that "Ada Merrow" doesn't; "Liu Cixin" does of 刘慈欣.
            guard let sortName = author.sortName?.foldedForSearch else { continue }
            let known = name.searchUnits
            if !sortName.searchUnits.allSatisfy({ unit in known.contains { $0.hasText(of: unit) } }) {
                names.append(sortName)
            }
        }
        self.names = names
        self.description = Self.beginning(of: description ?? "").foldedForSearch
    }

    private static func beginning(of text: String) -> String {
        guard text.utf8.count > maximumDescriptionByteCount else { return text }
        var end = text.utf8.index(text.utf8.startIndex, offsetBy: maximumDescriptionByteCount)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return String(text[..<end])
    }

    /// By which books are ordered, and by which one is found whose title is typed whole: see ``SearchKey``.
    var key: String { SearchKey.text(ofTitle: title) }

    /// The terms of its words, as ``TermText`` makes them, each perhaps several times.
    var wordTerms: [String] {
        func terms(_ text: String, _ column: SearchColumn) -> [String] {
            text.searchUnits.filter { $0.kind != .character }
                .map { String(UnicodeScalar(column.word)) + $0.text }
        }
        return terms(title, .title) + names.flatMap { terms($0, .authors) } + terms(description, .description)
    }

    /// Differs where anything that is searched does.
    var digest: Int64 {
        var hash = TextHash()
        hash.add(title)
        for name in names { hash.add(name) }
        hash.add(description)
        return Int64(bitPattern: hash.value)
    }
}

/// A title without what doesn't count: its units, with one blank between those that aren't characters of one run.
enum SearchKey {
    /// The key of a title that is in the form for searching.
    static func text(ofTitle title: String) -> String {
        let span = title.utf8.span
        var bytes: [UInt8] = []
        bytes.reserveCapacity(span.count)
        var last: SearchUnitKind?
        SearchUnits.forEach(in: span) { kind, range, isAttached in
            let isOfRun = isAttached && kind == .character && last == .character
            if last != nil, !isOfRun { bytes.append(UInt8(ascii: " ")) }
            for index in range { bytes.append(span[index]) }
            last = kind
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func text(of units: [SearchUnit]) -> String {
        var text = ""
        var last: SearchUnit?
        for unit in units {
            let isOfRun = unit.isAttached && unit.kind == .character && last?.kind == .character
            if last != nil, !isOfRun { text += " " }
            text += unit.text
            last = unit
        }
        return text
    }
}
