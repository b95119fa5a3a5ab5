/// A field of a record that means something here.
enum RecordField: String, CaseIterable {
    case id, title, author, category, description, coverUrl, isPurchased, isSample
    case isbn, language, publisher, series, seriesIndex, contents
    case contentUrl, fileSizeInBytes, sha256, mediaType, lastModified
    case purchasedAt, lastReadDate, orderId, price, storeUrl

    /// Whether several values may stand in it, as an array.
    var isList: Bool {
        self == .author || self == .category || self == .contents
    }
}

/// Finds the field that a key names, without making text of the key.
struct RecordFieldTable {
    /// A name of at most sixteen bytes as two numbers.
    private struct PackedName: Equatable {
        var low: UInt64 = 0
        var high: UInt64 = 0

        init(_ bytes: Span<UInt8>) {
            for index in 0..<min(8, bytes.count) { low = low << 8 | UInt64(bytes[index]) }
            for index in min(8, bytes.count)..<bytes.count { high = high << 8 | UInt64(bytes[index]) }
        }
    }

    private static var longest: Int { 16 }

    /// By the length of the name.
    private var entries: [[(name: PackedName, field: RecordField)]]

    init() {
        entries = Array(repeating: [], count: Self.longest + 1)
        for field in RecordField.allCases {
            let bytes = Array(field.rawValue.utf8)
            entries[bytes.count].append((PackedName(bytes.span), field))
        }
    }

    func field(named key: Span<UInt8>) -> RecordField? {
        guard key.count <= Self.longest else { return nil }
        let name = PackedName(key)
        for entry in entries[key.count] where entry.name == name { return entry.field }
        return nil
    }
}
