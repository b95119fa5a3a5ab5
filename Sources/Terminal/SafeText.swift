extension String {
    /// The text for a terminal: on one line, and without anything that a terminal would obey.
    ///
    /// Titles come from strangers. Control characters (those of one byte and the C1 ones), marks that turn the direction of
    /// what follows, separators of lines and invisible characters become `�`, line feeds and tabulators blanks. The
    /// joiners that scripts and emoji need stay.
    package var safe: String {
        guard !utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "\n", "\r", "\t": text.append(" ")
            case "\u{200C}", "\u{200D}", "\u{200E}", "\u{200F}": text.append(scalar)
            case _ where scalar.isObeyed: text.append("\u{FFFD}")
            default: text.append(scalar)
            }
        }
        return String(text)
    }

    /// How many columns a terminal gives the text: two for a wide character, none for a mark on another.
    package var columnCount: Int {
        reduce(0) { $0 + $1.columnCount }
    }

    /// The text cut to at most `limit` columns, with `…` where something is missing.
    package func fitted(to limit: Int) -> String {
        guard columnCount > limit else { return self }
        guard limit > 0 else { return "" }
        var count = 0
        let kept = prefix { character in
            count += character.columnCount
            return count < limit
        }
        return kept + "…"
    }

    /// The text with blanks after it, or before it, up to `count` columns.
    package func padded(to count: Int, isRightAligned: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, count - columnCount))
        return isRightAligned ? blanks + self : self + blanks
    }
}

extension Unicode.Scalar {
    /// Whether a terminal obeys it rather than showing it, or shows nothing.
    fileprivate var isObeyed: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
        default: false
        }
    }

    /// Whether it takes no room of its own.
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: true
        default: false
        }
    }

    /// Whether it is as wide as two letters: East Asian Width W and F, in whole blocks (Unicode Standard Annex 11).
    fileprivate var isWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}

extension Character {
    /// The columns of the widest scalar: the others are joined to it.
    fileprivate var columnCount: Int {
        unicodeScalars.reduce(0) { max($0, $1.isMark ? 0 : $1.isWide ? 2 : 1) }
    }
}
