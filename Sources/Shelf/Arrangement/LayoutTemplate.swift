/// A layout that a person has written, such as `{author_sort}/{series}/{series_index:02} {title}`.
///
/// What stands between slashes are directories, the last part is the name of the file. `{field}`, `{field:FORMAT}` and
/// `{field:FORMAT|BEFORE|BEHIND}` stand for what the book has, with BEFORE and BEHIND only where it has something; `{{`
/// and `}}` for braces. A part that comes to nothing is left out.
///
/// Calibre: <https://manual.calibre-ebook.com/template_lang.html>, of which this is the first chapter.
package struct LayoutTemplate: Hashable, Sendable {
    /// Why a text is no template.
    package struct Fault: Error, Hashable, Sendable {
        /// Of the character, from 1 on.
        package let position: Int

        /// In words, without the position.
        package let reason: String

        package init(position: Int, reason: String) {
            self.position = position
            self.reason = reason
        }
    }

    enum Piece: Hashable, Sendable {
        case text(String)
        case field(LayoutField, FieldFormat, before: String, behind: String)
    }

    /// As it was written.
    package let text: String
    private let parts: [[Piece]]

    /// As many directories may stand in each other.
    private static var maximumDepth: Int { 16 }

    /// - Throws: ``Fault``.
    package init(_ text: String) throws(Fault) {
        var parser = LayoutParser(text)
        let parts = try parser.parts()
        if parts.count > Self.maximumDepth {
            throw Fault(position: 1, reason: "more than \(Self.maximumDepth) parts stand between slashes")
        }
        guard parts.last?.isEmpty == false else {
            throw Fault(position: max(1, text.count), reason: "the name of the file is missing behind the last slash")
        }
        self.text = text
        self.parts = parts
    }

    /// Where a book stands.
    func placements(of book: BookFacts) -> [Placement] {
        let usesCategory = parts.contains { part in
            part.contains { if case .field(.category, _, _, _) = $0 { true } else { false } }
        }
        let categories = book.categories.isEmpty ? [BookFacts.uncategorised] : book.categories
        return (usesCategory ? categories : [categories[0]]).map { category in
            let texts = parts.map { Self.fill($0, with: book, category) }
            let folders = texts.dropLast().filter { !$0.isEmpty }.map { Placement.Folder($0) }
            return Placement(folders, stem: texts.last.flatMap { $0.isEmpty ? nil : $0 })
        }
    }

    private static func fill(_ part: [Piece], with book: BookFacts, _ category: String) -> String {
        let text = part.map { piece in
            switch piece {
            case .text(let text): return text
            case .field(let field, let format, let before, let behind):
                let value = field.text(of: book, category: category, format: format)
                return value.isEmpty ? "" : before + value + behind
            }
        }.joined()
        // Where a field in the middle is empty, no gap stays at the ends.
        return text.trimmed
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
