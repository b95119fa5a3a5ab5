/// Reads a layout template, character by character.
struct LayoutParser {
    private let characters: [Character]

    /// Of the next character.
    private var index = 0

    init(_ text: String) {
        characters = Array(text)
    }

    /// All of it, as it is separated by slashes.
    ///
    /// - Throws: ``LayoutTemplate/Fault``.
    mutating func parts() throws(LayoutTemplate.Fault) -> [[LayoutTemplate.Piece]] {
        var parts: [[LayoutTemplate.Piece]] = [[]]
        var literal = ""
        func ending(_ part: [LayoutTemplate.Piece], _ literal: String) -> [LayoutTemplate.Piece] {
            literal.isEmpty ? part : part + [.text(literal)]
        }
        while index < characters.count {
            let character = characters[index]
            switch character {
            case "{" where next == "{", "}" where next == "}":
                literal.append(character)
                index += 2
            case "{":
                let field = try field()
                parts[parts.count - 1] = ending(parts[parts.count - 1], literal) + [field]
                literal = ""
            case "}": throw fault(at: index, "“}” closes nothing; write }} for the character itself")
            case "/":
                parts[parts.count - 1] = ending(parts[parts.count - 1], literal)
                literal = ""
                parts.append([])
                index += 1
            default:
                literal.append(character)
                index += 1
            }
        }
        parts[parts.count - 1] = ending(parts[parts.count - 1], literal)
        return parts
    }

    private var next: Character? { index + 1 < characters.count ? characters[index + 1] : nil }

    /// One field, from its brace to its brace.
    private mutating func field() throws(LayoutTemplate.Fault) -> LayoutTemplate.Piece {
        let start = index
        guard let end = characters[start...].firstIndex(of: "}") else {
            throw fault(at: start, "“{” is never closed")
        }
        let inner = String(characters[(start + 1)..<end])
        index = end + 1
        let name = inner.prefix { $0 != ":" }
        guard let field = LayoutField(rawValue: String(name)) else {
            let known = LayoutField.allCases.map(\.rawValue).joined(separator: ", ")
            throw fault(at: start + 1, "no field is called “\(name)”; there are \(known)")
        }
        let rest = inner.dropFirst(name.count + 1)
        let pieces = rest.split(separator: "|", omittingEmptySubsequences: false)
        guard pieces.count <= 1 || pieces.count == 3 else {
            throw fault(at: start + 1, "“\(inner)” needs two bars: {field:FORMAT|BEFORE|BEHIND}")
        }
        guard let format = FieldFormat(pieces.first ?? "") else {
            throw fault(at: start + 2 + name.count, "“\(pieces.first ?? "")” is no format; try 02 or .1")
        }
        return .field(
            field, format, before: pieces.count == 3 ? String(pieces[1]) : "",
            behind: pieces.count == 3 ? String(pieces[2]) : "")
    }

    private func fault(at index: Int, _ reason: String) -> LayoutTemplate.Fault {
        LayoutTemplate.Fault(position: index + 1, reason: reason)
    }
}
