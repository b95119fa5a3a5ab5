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
    }

    let id: BookID
    let version: VersionID
    let categories: [String]
    let byteCount: Int64

    /// The name that it takes where that is free, and the form in which that is compared.
    let bestName: String
    let foldedBestName: String

    private let title: String

    /// Joined; empty where there is none.
    private let author: String
    private let pathExtension: String

    /// The category of a book that has none.
    static var uncategorised: String { "Uncategorised" }

    init(_ description: Description) {
        id = description.id
        version = description.version
        title = description.title.inNFC
        author = PackedList.unpack(authors: description.authors).joined.inNFC
        let listed = PackedList.unpack(description.categories)
        categories = listed.isEmpty ? [Self.uncategorised] : listed
        pathExtension = FileName.pathExtension(ofMediaType: description.mediaType ?? "application/epub+zip")
        byteCount = description.byteCount
        bestName = FileName.book(title: title, author: nil, ordinal: nil, pathExtension: pathExtension)
        foldedBestName = bestName.foldedForComparison
    }

    /// The names that the book may take in a directory where ``bestName`` is taken, better ones first.
    ///
    /// - Parameter attempt: From 1 on; there is always one more.
    /// - Returns: The name.
    func name(attempt: Int) -> String {
        FileName.book(
            title: title, author: author.isEmpty ? nil : author,
            ordinal: author.isEmpty ? attempt + 1 : attempt > 1 ? attempt : nil, pathExtension: pathExtension)
    }
}
