internal import Shelf
internal import TextForms

/// A hash of all that a source states about a book, by which an unchanged record is known without comparing columns.
struct Fingerprint {
    private var hash = TextHash()

    var value: UInt64 { hash.value }

    init(_ record: BookRecord) {
        add(record.title)
        add(record.authors.count)
        for author in record.authors {
            add(author.name)
            add(author.sortName)
        }
        add(record.categories)
        add(record.description)
        add(record.language)
        add(record.publisher)
        add(record.isbn)
        add(record.series)
        add(record.seriesIndex.map { Int(truncatingIfNeeded: $0.bitPattern) } ?? 0)
        add(record.contents)
        add(record.coverURL)
        add(record.isPurchased ? 1 : 0)
        add(record.isSample ? 1 : 0)
        add(Int(record.purchasedAt ?? -1))
        add(Int(record.lastReadAt ?? -1))
        add(record.orderID)
        add(record.price)
        add(record.storeURL)
        add(record.content?.url)
        add(record.content?.mediaType)
        add(Int(record.content?.byteCount ?? -1))
        add(record.content?.sha256)
        add(Int(record.content?.modifiedAt ?? -1))
    }

    private mutating func add(_ number: Int) {
        hash.add(UInt64(truncatingIfNeeded: number))
    }

    /// Adds a text, which isn't the same as none.
    private mutating func add(_ text: String?) {
        hash.add(text == nil ? 0 : 1)
        if let text { hash.add(text) }
    }

    private mutating func add(_ items: [String]) {
        add(items.count)
        for item in items { hash.add(item) }
    }
}
