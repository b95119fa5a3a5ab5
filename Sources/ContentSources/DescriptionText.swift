/// Makes plain text of a description, which may be HTML.
///
/// Tags go, those of blocks and `br` become line breaks, scripts, styles and comments go with what is in them, character
/// references become characters. White space is HTML's where there is a tag, and kept where there is none. What only
/// looks like HTML (`a < b`, `AT&T`) stays. Nothing is interpreted twice: `&lt;b&gt;` becomes `<b>`.
struct DescriptionText {
    /// Plain text made of `description`; empty if there is none.
    static func plain(_ description: String) -> String {
        guard mayHaveMarkup(description.utf8.span) else { return description.trimmed }
        return DescriptionText(Array(description.utf8)).text.trimmed
    }

    private static func mayHaveMarkup(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "\r"): return true
            default: continue
            }
        }
        return false
    }

    private let bytes: [UInt8]

    /// Whether white space is HTML's.
    private let isHTML: Bool
    private var output: [UInt8] = []
    private var isSpaceDue = false
    private var breaksDue = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        isHTML = bytes.indices.contains { bytes[$0] == UInt8(ascii: "<") && MarkupTag(bytes, at: $0) != nil }
        output.reserveCapacity(bytes.count)
    }

    private var text: String {
        var copy = self
        copy.convert()
        return String(decoding: copy.output, as: UTF8.self)
    }

    private mutating func convert() {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "<"), let tag = MarkupTag(bytes, at: index) {
                index = tag.hasHiddenContent ? endOfHiddenContent(after: tag) : tag.end
                take(tag.effect)
            } else if byte == UInt8(ascii: "&"), let reference = CharacterReference(bytes, at: index) {
                take(reference.character)
                index = reference.end
            } else {
                take(byte, before: index + 1 < bytes.count ? bytes[index + 1] : nil)
                index += 1
            }
        }
    }

    private mutating func take(_ effect: MarkupTag.Effect) {
        switch effect {
        case .none: break
        case .space: isSpaceDue = true
        case .block: breaksDue = max(breaksDue, 1)
        case .lineBreak: breaksDue = min(breaksDue + 1, 2)
        }
    }

    private mutating func take(_ character: Unicode.Scalar) {
        if isHTML, character == "\u{A0}" {
            isSpaceDue = true
        } else {
            settleSpace()
            output.append(contentsOf: UTF8.encode(character) ?? UTF8.encodedReplacementCharacter)
        }
    }

    private mutating func take(_ byte: UInt8, before next: UInt8?) {
        let isSpace = byte == 0x20 || (0x09...0x0D).contains(byte)
        if isHTML, isSpace {
            isSpaceDue = true
        } else if byte == UInt8(ascii: "\r") {
            if next != UInt8(ascii: "\n") { output.append(UInt8(ascii: "\n")) }
        } else {
            settleSpace()
            output.append(byte)
        }
    }

    /// Writes the line breaks or the space that are due, but none at the start.
    private mutating func settleSpace() {
        if !output.isEmpty {
            if breaksDue > 0 {
                output.append(contentsOf: repeatElement(UInt8(ascii: "\n"), count: breaksDue))
            } else if isSpaceDue {
                output.append(UInt8(ascii: " "))
            }
        }
        breaksDue = 0
        isSpaceDue = false
    }

    /// Where to go on after an element whose content isn't shown: at its end tag, or at the end.
    private func endOfHiddenContent(after tag: MarkupTag) -> Int {
        var index = tag.end
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "<"), let end = MarkupTag(bytes, at: index), end.isEnd, end.name == tag.name
            {
                return end.end
            }
            index += 1
        }
        return index
    }
}
