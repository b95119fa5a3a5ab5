internal import JSON

/// A record while its fields come in; of a field that stands twice the last one holds.
///
/// What could lead to the wrong book or to wrong bytes makes the record bad: the title, `id`, `fileSizeInBytes`,
/// `sha256`, `contentUrl`. Any other field that can't be understood is as if it weren't there.
struct RecordDraft {
    var id = Claim<String>.absent
    var title = Claim<String>.absent
    var byteCount = Claim<Int64>.absent
    var sha256 = Claim<String>.absent
    var contentURL = Claim<String>.absent

    var authors: [String] = []
    var categories: [String] = []
    var contents: [String] = []
    var description: String?
    var language: String?
    var publisher: String?
    var isbn: String?
    var series: String?
    var seriesIndex: Double?
    var coverURL: String?
    var isPurchased = false
    var isSample = false
    var mediaType: String?
    var modifiedAt: Int64?
    var purchasedAt: Int64?
    var lastReadAt: Int64?
    var orderID: String?
    var price: String?
    var storeURL: String?

    /// How much was kept so far, in bytes; counts also what a later value took the place of.
    private(set) var keptByteCount = 0

    /// Takes a string or a number as the value of `field`, or as one more of its values.
    mutating func take(_ bytes: Span<UInt8>, as field: RecordField, isNumber: Bool = false) {
        keptByteCount += bytes.count + MemoryLayout<String>.size
        let text = String(trimming: bytes)
        if text.isEmpty, field != .title {
            if !field.isList { forget(field) }
            return
        }
        switch field {
        case .title: title = text.isEmpty ? .wrong("is empty") : .stated(text)
        case .id: id = text.utf8.count <= 1_024 ? .stated(text) : .wrong("is longer than 1024 bytes")
        case .fileSizeInBytes: byteCount = Self.byteCount(text)
        case .sha256: sha256 = Self.sha256(text)
        case .contentUrl: contentURL = .stated(text)
        case .author: authors.append(text)
        case .category: categories.append(text)
        case .contents: contents.append(text)
        case .description:
            let plain = DescriptionText.plain(text)
            description = plain.isEmpty ? nil : plain
        case .language: language = Self.language(text)
        case .publisher: publisher = text
        case .isbn: isbn = text
        case .series: series = text
        case .seriesIndex: seriesIndex = Double(text).flatMap { $0.isFinite ? $0 : nil }
        case .coverUrl: coverURL = text
        case .storeUrl: storeURL = text
        case .isPurchased: isPurchased = Self.isTrue(text, isNumber: isNumber)
        case .isSample: isSample = Self.isTrue(text, isNumber: isNumber)
        case .mediaType: mediaType = Self.mediaType(text)
        case .lastModified: modifiedAt = Timestamp.seconds(text)
        case .purchasedAt: purchasedAt = Timestamp.seconds(text)
        case .lastReadDate: lastReadAt = Timestamp.seconds(text)
        case .orderId: orderID = text
        case .price: price = text
        }
    }

    /// Takes `true` or `false`.
    mutating func take(_ value: Bool, as field: RecordField) {
        switch field {
        case .isPurchased: isPurchased = value
        case .isSample: isSample = value
        default: takeOddity(as: field)
        }
    }

    /// Takes a value of a kind that the field can't have.
    mutating func takeOddity(as field: RecordField) {
        forget(field)
        switch field {
        case .title: title = .wrong("is neither text nor a number")
        case .id: id = .wrong("is neither text nor a number")
        case .fileSizeInBytes: byteCount = .wrong("isn't a number")
        case .sha256: sha256 = .wrong("isn't text")
        case .contentUrl: contentURL = .wrong("isn't text")
        default: break
        }
    }

    /// Takes `null`, or the beginning of another value of a field that has one already.
    mutating func forget(_ field: RecordField) {
        switch field {
        case .title: title = .absent
        case .id: id = .absent
        case .fileSizeInBytes: byteCount = .absent
        case .sha256: sha256 = .absent
        case .contentUrl: contentURL = .absent
        case .author: authors = []
        case .category: categories = []
        case .contents: contents = []
        case .description: description = nil
        case .language: language = nil
        case .publisher: publisher = nil
        case .isbn: isbn = nil
        case .series: series = nil
        case .seriesIndex: seriesIndex = nil
        case .coverUrl: coverURL = nil
        case .storeUrl: storeURL = nil
        case .isPurchased: isPurchased = false
        case .isSample: isSample = false
        case .mediaType: mediaType = nil
        case .lastModified: modifiedAt = nil
        case .purchasedAt: purchasedAt = nil
        case .lastReadDate: lastReadAt = nil
        case .orderId: orderID = nil
        case .price: price = nil
        }
    }
}

// MARK: - Values

extension RecordDraft {
    /// More than any book has, and so little that a million of them add up in 64 bits.
    private static var largestByteCount: Int64 { 1 << 42 }

    /// A size; 0 says as little as none at all, as no book is empty.
    private static func byteCount(_ text: String) -> Claim<Int64> {
        guard let number = Int64(text) ?? Double(text).flatMap({ Int64(exactly: $0) }) else {
            return .wrong("isn't a whole number of bytes")
        }
        if number < 0 { return .wrong("is negative") }
        if number > largestByteCount { return .wrong("is more than 4 TiB") }
        return number == 0 ? .absent : .stated(number)
    }

    private static func sha256(_ text: String) -> Claim<String> {
        guard text.utf8.count == 64, text.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
            return .wrong("isn't 64 hexadecimal digits")
        }
        return .stated(text.lowercased())
    }

    private static func isTrue(_ text: String, isNumber: Bool) -> Bool {
        if let number = Double(text) { return number != 0 }
        return ["true", "yes", "y", "on"].contains(text.lowercased())
    }

    private static func language(_ text: String) -> String? {
        let isTag =
            text.utf8.count <= 64
            && text.utf8.allSatisfy { byte in
                (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
            }
        guard isTag else { return nil }
        return text.utf8.contains(UInt8(ascii: "_")) ? String(text.map { $0 == "_" ? "-" : $0 }) : text
    }

    /// Type and subtype in lower case, without parameters.
    private static func mediaType(_ text: String) -> String? {
        let type = text.prefix { $0 != ";" }.lowercased().trimmed
        let parts = type.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isType =
            parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") }
            }
        return isType && type.utf8.count <= 255 ? type : nil
    }
}
