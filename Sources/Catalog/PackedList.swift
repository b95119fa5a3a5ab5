internal import Shelf

/// Lists of text in one column: U+001F between items, U+001E between an author's name and its sort form.
///
/// Both are control characters that no title needs; where they occur in a text they are taken out before packing.
enum PackedList {
    private static var itemSeparator: UInt8 { 0x1F }
    private static var partSeparator: UInt8 { 0x1E }

    static func pack(_ items: [String]) -> String {
        items.count == 1 ? cleaned(items[0]) : items.map(cleaned).joined(separator: "\u{1F}")
    }

    static func unpack(_ text: String) -> [String] {
        if text.isEmpty { return [] }
        guard text.utf8.contains(itemSeparator) else { return [text] }
        return text.utf8.split(separator: itemSeparator, omittingEmptySubsequences: false).map { String(Substring($0)) }
    }

    static func pack(authors: [Author]) -> String {
        authors.map { author in
            guard let sortName = author.sortName else { return cleaned(author.name) }
            return cleaned(author.name) + "\u{1E}" + cleaned(sortName)
        }.joined(separator: "\u{1F}")
    }

    static func unpack(authors text: String) -> [Author] {
        unpack(text).map { item in
            guard let border = item.utf8.firstIndex(of: partSeparator) else { return Author(name: item) }
            return Author(name: String(item[..<border]), sortName: String(item[item.utf8.index(after: border)...]))
        }
    }

    private static func cleaned(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == partSeparator || $0 == itemSeparator }) else { return text }
        return String(text.unicodeScalars.filter { $0 != "\u{1E}" && $0 != "\u{1F}" }.map(Character.init))
    }
}
