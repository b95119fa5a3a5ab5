/// A tag, comment or declaration of HTML in a text.
struct MarkupTag {
    /// What the tag does to the text around it.
    enum Effect {
        case none, space, block, lineBreak
    }

    /// In lower case; empty for comments and declarations.
    let name: String

    /// Whether it is an end tag.
    let isEnd: Bool

    /// The index behind it.
    let end: Int

    /// Finds out whether what begins with the `<` at `start` is a tag.
    ///
    /// - Returns: `nil` where it is text: a sign that something is less than something, an address in brackets.
    init?(_ bytes: [UInt8], at start: Int) {
        guard start + 1 < bytes.count else { return nil }
        if bytes[start + 1] == UInt8(ascii: "!") || bytes[start + 1] == UInt8(ascii: "?") {
            guard let end = Self.endOfDeclaration(bytes, at: start) else { return nil }
            (name, isEnd, self.end) = ("", false, end)
            return
        }
        isEnd = bytes[start + 1] == UInt8(ascii: "/")
        let nameStart = start + (isEnd ? 2 : 1)
        var index = nameStart
        while index < bytes.count, index - nameStart < 32, Self.isPartOfName(bytes[index], at: index - nameStart) {
            index += 1
        }
        guard index > nameStart, index < bytes.count else { return nil }
        name = String(decoding: bytes[nameStart..<index], as: UTF8.self).lowercased()
        let next = bytes[index]
        let isFollowedWell = next == UInt8(ascii: ">") || next == UInt8(ascii: "/") || next <= 0x20
        guard isFollowedWell, let close = Self.closing(bytes, from: index) else { return nil }
        end = close + 1
        if Self.knownNames.contains(name) { return }
        // Of a name that HTML doesn't have, only what can hardly be anything else is a tag.
        let attributes = bytes[index..<close]
        let isBare = attributes.allSatisfy { $0 <= 0x20 || $0 == UInt8(ascii: "/") }
        guard isEnd || isBare || attributes.contains(UInt8(ascii: "=")) else { return nil }
    }

    /// Whether what stands between it and its end tag isn't shown.
    var hasHiddenContent: Bool {
        !isEnd && (name == "script" || name == "style" || name == "head")
    }

    var effect: Effect {
        switch name {
        case "br": .lineBreak
        case "td", "th": .space
        case _ where Self.blockNames.contains(name): .block
        default: .none
        }
    }

    private static func isPartOfName(_ byte: UInt8, at place: Int) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "-"): place > 0
        default: false
        }
    }

    /// Where the `>` is that ends the tag, beyond values in quotation marks.
    private static func closing(_ bytes: [UInt8], from start: Int) -> Int? {
        var quote: UInt8?
        var previous: UInt8 = 0
        for index in start..<bytes.count {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: ">") {
                return index
            } else if byte == UInt8(ascii: "<") {
                // Never looked beyond, so that a text of nothing but beginnings takes no time by its square.
                return nil
            } else if previous == UInt8(ascii: "="), byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
            if byte > 0x20 { previous = byte }
        }
        return nil
    }

    private static func endOfDeclaration(_ bytes: [UInt8], at start: Int) -> Int? {
        let isComment = bytes[start...].starts(with: "<!--".utf8)
        var index = start + (isComment ? 4 : 2)
        while index < bytes.count {
            if !isComment, bytes[index] == UInt8(ascii: "<") { return nil }
            if bytes[index] == UInt8(ascii: ">"),
                !isComment || bytes[start + 4..<index].suffix(2).elementsEqual("--".utf8)
            {
                return index + 1
            }
            index += 1
        }
        return isComment ? bytes.count : nil
    }

    private static let blockNames: Set<String> = [
        "address", "article", "aside", "blockquote", "body", "center", "dd", "div", "dl", "dt", "figcaption", "figure",
        "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "li", "main", "nav", "ol",
        "option", "p", "pre", "section", "summary", "table", "tr", "ul",
    ]

    private static let knownNames: Set<String> = blockNames.union([
        "a", "abbr", "acronym", "audio", "b", "base", "big", "br", "button", "caption", "cite", "code", "col", "del",
        "details", "dfn", "em", "font", "i", "iframe", "img", "input", "ins", "kbd", "label", "link", "mark", "meta",
        "object", "q", "rp", "rt", "ruby", "s", "samp", "script", "select", "small", "span", "strike", "strong",
        "style",
        "sub", "sup", "tbody", "td", "textarea", "tfoot", "th", "thead", "time", "title", "tt", "u", "var", "video",
        "wbr",
    ])
}
