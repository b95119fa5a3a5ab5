internal import Shelf

extension RecordDraft {
    /// The book that the fields make, or why they make none.
    func record(number: Int, locator: ContentLocator) -> SourceRecord {
        let place = contentURL.value.map { locator.place(of: $0) } ?? .absent
        if let fault = title.fault { return skipped(number, "title \(fault)") }
        if let fault = id.fault { return skipped(number, "id \(fault)") }
        if let fault = byteCount.fault { return skipped(number, "fileSizeInBytes \(fault)") }
        if let fault = sha256.fault { return skipped(number, "sha256 \(fault)") }
        if let fault = contentURL.fault ?? place.fault { return skipped(number, "contentUrl \(fault)") }
        guard let title = title.value else { return skipped(number, "title is missing") }

        var book = BookRecord(key: id.value ?? StableKey.make(title: title, authors: authors, isbn: isbn), title: title)
        book.authors = authors.map { Author(name: $0) }
        book.categories = categories
        book.description = description
        book.language = language
        book.publisher = publisher
        book.isbn = isbn
        book.series = series
        book.seriesIndex = seriesIndex
        book.contents = contents
        book.coverURL = coverURL.flatMap { locator.cover($0) }
        book.isPurchased = isPurchased
        book.isSample = isSample
        book.purchasedAt = purchasedAt
        book.lastReadAt = lastReadAt
        book.orderID = orderID
        book.price = price
        book.storeURL = storeURL.flatMap { locator.page($0) }
        book.content = content(at: place.value ?? locator.place(besideFor: id.value, title: title))
        return .book(book, number: number)
    }

    private func content(at place: ContentLocator.Place?) -> ContentStatement? {
        guard let place else { return nil }
        var content = ContentStatement(url: place.url)
        if let mediaType { content.mediaType = mediaType }
        content.byteCount = byteCount.value ?? place.byteCount
        content.sha256 = sha256.value
        content.modifiedAt = modifiedAt ?? place.modifiedAt
        return content
    }

    /// A record that is passed over, with the key that it would have had.
    private func skipped(_ number: Int, _ reason: String) -> SourceRecord {
        let key = id.value ?? title.value.map { StableKey.make(title: $0, authors: authors, isbn: isbn) }
        return .skipped(SkippedRecord(number: number, key: key, reason: reason))
    }
}
