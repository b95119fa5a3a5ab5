internal import Catalog
internal import CommandLanguage
internal import Shelf

extension BookDescription {
    /// - Parameters:
    ///   - book: As the catalog has it.
    ///   - states: Which versions are on disk.
    init(_ book: CatalogBook, states: LocalContent) {
        self.init(id: book.id, title: book.title, source: book.source, state: states.state(of: book))
        authors = book.authors
        authorSort = book.authors.isEmpty ? nil : book.authors.map { $0.sortName ?? $0.name }.joined(separator: " & ")
        categories = book.categories
        series = book.series
        seriesIndex = book.seriesIndex
        language = book.language
        isbn = book.isbn
        publisher = book.publisher
        description = book.description
        isPurchased = book.isPurchased
        isSample = book.isSample
        purchasedAt = book.purchasedAt
        lastReadAt = book.lastReadAt
        fileName = book.fileName
        paths = book.paths
        byteCount = book.byteCount
        sha256 = book.sha256
        modifiedAt = book.modifiedAt
        isPinned = book.isPinned
    }
}
