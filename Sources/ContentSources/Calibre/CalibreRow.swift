internal import Shelf

/// What the database of a Calibre says about one book.
struct CalibreRow {
    /// A file of the book.
    struct Format {
        /// In capitals, for example `EPUB`.
        let format: String

        /// Of the file, without its extension.
        let name: String
    }

    let id: Int64
    let uuid: String
    let title: String

    /// Below the library.
    let path: String
    let seriesIndex: Double?
    let hasCover: Bool

    /// Seconds since 1970.
    let addedAt: Int64?

    var authors: [Author] = []
    var categories: [String] = []

    /// As HTML.
    var comments = ""

    /// A code of ISO 639-2, usually.
    var language: String?
    var publisher: String?
    var isbn: String?
    var series: String?
    var formats: [Format] = []
}
