/// The rules by which a title or a category becomes a name that every file system takes.
///
/// Good at once on ext4, FAT, exFAT, NTFS and APFS: at most 255 bytes of UTF-8, none of `/ \ : * ? " < > |`, no control
/// or direction-changing character, no leading dot, no dot or space at the end or before the extension, no DOS device
/// name. Text must be in NFC already; what is replaced here keeps it so.
package enum FileName {
    /// The longest name, in bytes of UTF-8.
    package static var maximumByteCount: Int { 255 }

    /// The longest author in ` - AUTHOR`, in bytes: what tells two books apart must not crowd out the title.
    private static var maximumAuthorByteCount: Int { 100 }

    /// The name of a book's file.
    ///
    /// - Parameters:
    ///   - title: In NFC.
    ///   - author: In NFC; stands behind the title where the title alone is taken.
    ///   - ordinal: 2 or more where that is taken too.
    ///   - pathExtension: Without its leading dot, for example `epub` or `kepub.epub`.
    /// - Returns: The name with its extension.
    package static func book(
        title: String, author: String? = nil, ordinal: Int? = nil, pathExtension: String
    ) -> String {
        var suffix = ""
        // Of dots and blanks nothing is left.
        if let author = author.map({ cut(clean($0), to: maximumAuthorByteCount) }), !author.isEmpty {
            suffix += " - " + author
        }
        if let ordinal { suffix += " (\(ordinal))" }
        let room = maximumByteCount - suffix.utf8.count - pathExtension.utf8.count - 1
        return finish(cut(clean(title), to: room), suffix: suffix) + "." + pathExtension
    }

    /// The name of a directory.
    ///
    /// - Parameters:
    ///   - title: In NFC.
    ///   - ordinal: 2 or more where the name is taken by another category.
    /// - Returns: The name.
    package static func directory(title: String, ordinal: Int? = nil) -> String {
        let suffix = ordinal.map { " (\($0))" } ?? ""
        return finish(cut(clean(title), to: maximumByteCount - suffix.utf8.count), suffix: suffix)
    }

    /// The extension that files of a media type carry, without its leading dot.
    package static func pathExtension(ofMediaType mediaType: String) -> String {
        switch mediaType {
        case "application/epub+zip": "epub"
        case "application/kepub+zip", "application/x-kobo-epub+zip": "kepub.epub"
        case "application/pdf": "pdf"
        case "application/x-mobipocket-ebook": "mobi"
        case "application/vnd.amazon.ebook", "application/x-mobi8-ebook": "azw3"
        case "application/vnd.comicbook+zip", "application/x-cbz": "cbz"
        case "application/vnd.comicbook-rar", "application/x-cbr": "cbr"
        case "application/x-fictionbook+xml", "application/fb2": "fb2"
        case "application/vnd.adobe.adept+xml": "acsm"
        case "application/vnd.readium.lcp.license.v1.0+json": "lcpl"
        case "application/audiobook+zip": "audiobook"
        case "text/plain": "txt"
        case "text/html": "html"
        default: "bin"
        }
    }

    // MARK: - Steps

    private static func finish(_ stem: String, suffix: String) -> String {
        let stem = stem.isEmpty ? "_" : stem
        return avoidDeviceName(stem + suffix)
    }

    /// Replaces what some file system refuses, and trims both ends.
    private static func clean(_ text: String) -> String {
        if isPlain(text) { return text }
        var cleaned = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { cleaned.append(replacement(of: scalar)) }
        var result = trimEnd(Substring(String(cleaned)))
        result = result.drop { $0 == " " }
        if result.first == "." {
            result.removeFirst()
            return "\u{FF0E}" + result
        }
        return String(result)
    }

    /// Whether `text` is ASCII without anything to replace or trim: nearly every Western title.
    private static func isPlain(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, first != UInt8(ascii: "."), first != UInt8(ascii: " ") else { return false }
        var last = first
        for byte in bytes {
            switch byte {
            case 0x00..<0x20, 0x7F..., UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: ":"), UInt8(ascii: "*"),
                UInt8(ascii: "?"), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "|"):
                return false
            default: last = byte
            }
        }
        return last != UInt8(ascii: ".") && last != UInt8(ascii: " ")
    }

    private static func replacement(of scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar {
        case "/", "\\", ":", "*", "?", "\"", "<", ">", "|":
            // The full-width form stands this far above its ASCII form.
            return Unicode.Scalar(scalar.value + 0xFEE0) ?? "_"
        case "\t", "\n", "\u{B}", "\u{C}", "\r", "\u{85}", "\u{2028}", "\u{2029}", "\u{A0}": return " "
        case "\u{0}"..<" ", "\u{7F}"..."\u{9F}": return "_"
        // Marks, embeddings, overrides and isolates of direction; the byte order mark.
        case "\u{61C}", "\u{200E}", "\u{200F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{FEFF}": return "_"
        default: return isNoncharacter(scalar) ? "_" : scalar
        }
    }

    private static func isNoncharacter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(scalar.value)
    }

    private static func trimEnd(_ text: Substring) -> Substring {
        var text = text
        // By scalars: a combining mark behind a dot makes one character with it, which isn't a dot at the end.
        while let last = text.unicodeScalars.last, last == " " || last == "." { text.unicodeScalars.removeLast() }
        return text
    }

    /// Shortens `text` to at most `byteCount` bytes at the border of a character, with no dot or space at the end.
    private static func cut(_ text: String, to byteCount: Int) -> String {
        guard text.utf8.count > byteCount else { return text }
        var count = 0
        var end = text.startIndex
        for character in text {
            count += character.utf8.count
            guard count <= byteCount else { break }
            end = text.index(after: end)
        }
        if end == text.startIndex {
            // One character of more than 255 bytes, such as a letter under a heap of marks: cut inside it.
            return cutScalars(text, to: byteCount)
        }
        return String(trimEnd(text[..<end]))
    }

    private static func cutScalars(_ text: String, to byteCount: Int) -> String {
        var kept = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= byteCount else { break }
            kept.append(scalar)
        }
        return String(trimEnd(Substring(String(kept))))
    }

    /// Puts `_` behind a DOS device name: Windows takes `con.epub` and `con.2.epub` for the console.
    private static func avoidDeviceName(_ name: String) -> String {
        guard let first = name.utf8.first, mayBeginDeviceName(first) else { return name }
        // The longest is CONOUT$; spaces may follow it.
        let base = Substring(name.utf8.prefix { $0 != UInt8(ascii: ".") })
        guard base.utf8.count <= 16 else { return name }
        var trimmed = base
        while trimmed.last == " " { trimmed.removeLast() }
        guard isDeviceName(trimmed.uppercased()) else { return name }
        return trimmed + "_" + name.dropFirst(trimmed.count)
    }

    /// Whether `byte` begins one of the device names: by this nearly every name is let through at once.
    private static func mayBeginDeviceName(_ byte: UInt8) -> Bool {
        switch byte | 0x20 {
        case UInt8(ascii: "a"), UInt8(ascii: "c"), UInt8(ascii: "l"), UInt8(ascii: "n"), UInt8(ascii: "p"): true
        default: false
        }
    }

    private static func isDeviceName(_ name: String) -> Bool {
        switch name {
        case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$": return true
        default:
            guard name.hasPrefix("COM") || name.hasPrefix("LPT"), name.count == 4, let last = name.last else {
                return false
            }
            return "0123456789¹²³".contains(last)
        }
    }
}
