internal import Shelf

/// Lists of text in one column: U+001F between items, U+001E between an author's name and its sort form.
///
/// Both are control characters that no title needs; where they occur in a text they are taken out before packing.
enum PackedList {
    private static var itemSeparator: Character { "\u{1F}" }
    private static var partSeparator: Character { "\u{1E}" }

    static func pack(_ items: [String]) -> String {
        items.count == 1 ? cleaned(items[0]) : items.map(cleaned).joined(separator: String(itemSeparator))
    }

    static func unpack(_ text: String) -> [String] {
        text.isEmpty ? [] : text.split(separator: itemSeparator, omittingEmptySubsequences: false).map(String.init)
    }

    static func pack(authors: [Author]) -> String {
        authors.map { author in
            guard let sortName = author.sortName else { return cleaned(author.name) }
            return cleaned(author.name) + String(partSeparator) + cleaned(sortName)
        }.joined(separator: String(itemSeparator))
    }

    static func unpack(authors text: String) -> [Author] {
        unpack(text).map { item in
            let parts = item.split(separator: partSeparator, maxSplits: 1)
            return Author(name: parts.first.map(String.init) ?? "", sortName: parts.count > 1 ? String(parts[1]) : nil)
        }
    }

    private static func cleaned(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x1E || $0 == 0x1F }) else { return text }
        return String(text.unicodeScalars.filter { $0 != "\u{1E}" && $0 != "\u{1F}" }.map(Character.init))
    }
}
