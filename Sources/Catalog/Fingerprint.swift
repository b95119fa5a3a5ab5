internal import Shelf

/// A hash of all that a source states about a book, by which an unchanged record is known without comparing columns.
///
/// FNV-1a with 64 bits: the same in every run and on every machine. It guards against nothing; it saves work.
struct Fingerprint {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

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

    private mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }

    private mutating func add(_ number: Int) {
        var rest = UInt64(bitPattern: Int64(number))
        for _ in 0..<8 {
            add(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    private mutating func add(_ text: String?) {
        guard let text else { return add(UInt8(0xFF)) }
        for byte in text.utf8 { add(byte) }
        add(UInt8(0xFE))
    }

    private mutating func add(_ items: [String]) {
        add(items.count)
        for item in items { add(item) }
    }
}
