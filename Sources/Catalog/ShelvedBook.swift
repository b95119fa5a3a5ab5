internal import SQLite
internal import Shelf
internal import TextForms

/// A book as it is put on the shelf: what its names are made from, and the content that they stand for.
struct ShelvedBook: Sendable {
    /// What the catalog says of such a book.
    struct Description: Sendable {
        let id: BookID
        let version: VersionID
        let title: String

        /// Packed; see ``PackedList``.
        let authors: String
        let categories: String
        let mediaType: String?
        let byteCount: Int64

        /// `nil` where the shelf is arranged by categories alone.
        let details: Details?
    }

    /// What decides where a book stands on a shelf that isn't arranged by categories alone.
    struct Details: Sendable {
        let titleSort: String?
        let series: String?
        let seriesIndex: Double?
        let language: String?
        let publisher: String?
        let isbn: String?

        /// Of the source.
        let kind: String

        /// Reads the columns title_sort, series, series_index, language, publisher and isbn of the book, and kind of its source.
        init(_ row: borrowing Row, from column: CInt) {
            titleSort = row.textOrNull(at: column)
            series = row.textOrNull(at: column + 1)
            seriesIndex = row.realOrNull(at: column + 2)
            language = row.textOrNull(at: column + 3)
            publisher = row.textOrNull(at: column + 4)
            isbn = row.textOrNull(at: column + 5)
            kind = row.text(at: column + 6)
        }
    }

    let id: BookID
    let version: VersionID
    let byteCount: Int64

    /// Where it stands.
    let placements: [Placement]

    /// The name that it takes in most places where that is free, and the form in which that is compared.
    private let bestName: String
    private let foldedBestName: String
    private let title: String

    /// Joined; empty where there is none.
    private let author: String
    private let pathExtension: String

    init(_ description: Description, in arrangement: Arrangement) {
        id = description.id
        version = description.version
        title = description.title.inNFC
        let authors = PackedList.unpack(authors: description.authors)
        author = authors.joined.inNFC
        let categories = PackedList.unpack(description.categories)
        if arrangement.isByCategoryAlone {
            let listed = categories.isEmpty ? [BookFacts.uncategorised] : categories
            placements = listed.map { Placement([Placement.Folder($0)]) }
        } else {
            placements = arrangement.placements(
                of: Self.facts(description.id, title, authors, categories, description.details))
        }
        pathExtension = FileName.pathExtension(ofMediaType: description.mediaType ?? "application/epub+zip")
        byteCount = description.byteCount
        bestName = FileName.book(title: title, author: nil, ordinal: nil, pathExtension: pathExtension)
        foldedBestName = bestName.foldedForComparison
    }

    private static func facts(
        _ id: BookID, _ title: String, _ authors: [Author], _ categories: [String], _ details: Details?
    ) -> BookFacts {
        BookFacts(
            id: id, title: title, titleSort: details?.titleSort?.inNFC,
            authors: authors.map { Author(name: $0.name.inNFC, sortName: $0.sortName?.inNFC) },
            categories: categories.map(\.inNFC), series: details?.series?.inNFC, seriesIndex: details?.seriesIndex,
            language: details?.language?.inNFC, publisher: details?.publisher?.inNFC, isbn: details?.isbn?.inNFC,
            splitsAtDots: details?.kind == "calibre")
    }

    /// The name that the book takes in a place where that is free, and the form in which that is compared.
    func bestName(at placement: Placement) -> (name: String, folded: String) {
        guard let stem = placement.stem, stem != title else { return (bestName, foldedBestName) }
        let name = FileName.book(title: stem, author: nil, ordinal: nil, pathExtension: pathExtension)
        return (name, name.foldedForComparison)
    }

    /// The names that the book may take in a place where ``bestName(at:)`` is taken, better ones first.
    ///
    /// - Parameters:
    ///   - attempt: From 1 on; there is always one more.
    ///   - placement: Where.
    /// - Returns: The name.
    func name(attempt: Int, at placement: Placement) -> String {
        FileName.book(
            title: placement.stem ?? title, author: author.isEmpty ? nil : author,
            ordinal: author.isEmpty ? attempt + 1 : attempt > 1 ? attempt : nil, pathExtension: pathExtension)
    }

    /// Whether a name is one that is made from what names are made from in this place now.
    func mayBeNamed(_ name: String, at placement: Placement) -> Bool {
        guard let stem = placement.stem, stem != title else { return true }
        // Behind what tells it apart, a long one is cut.
        let beginning = FileName.book(title: stem, author: nil, ordinal: nil, pathExtension: pathExtension)
            .dropLast(pathExtension.count + 1).prefix(60)
        return name.hasPrefix(beginning)
    }
}
