/// The forms of EPUB among which a person may choose where a source has several of a book.
package enum BookFormat: String, Sendable, CaseIterable {
    case epub

    /// For the own engine of Kobo readers.
    case kepub

    /// The form of a content; `nil` for what isn't an EPUB that can be offered.
    ///
    /// - Parameters:
    ///   - mediaType: Without parameters, in lower case; `nil` where the source doesn't say.
    ///   - url: Decides where the type says nothing.
    init?(mediaType: String?, url: String) {
        let path = url.prefix { $0 != "?" && $0 != "#" }.lowercased()
        let isNamedForKobo = path.hasSuffix(".kepub.epub") || path.hasSuffix(".kepub")
        switch mediaType {
        case "application/epub+zip", "application/epub": self = isNamedForKobo ? .kepub : .epub
        case "application/kepub+zip", "application/x-kobo-epub+zip", "application/x-kepub+zip": self = .kepub
        case nil, "application/octet-stream", "binary/octet-stream":
            guard isNamedForKobo || path.hasSuffix(".epub") else { return nil }
            self = isNamedForKobo ? .kepub : .epub
        default: return nil
        }
    }

    package var mediaType: String {
        switch self {
        case .epub: "application/epub+zip"
        case .kepub: "application/kepub+zip"
        }
    }

    /// The forms in a list such as `epub,kepub`, the preferred ones first.
    ///
    /// - Returns: `nil` if there is anything else in it.
    package static func list(_ text: String) -> [BookFormat]? {
        var formats: [BookFormat] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let format = BookFormat(rawValue: String(word).trimmed.lowercased()) else { return nil }
            if !formats.contains(format) { formats.append(format) }
        }
        return formats.isEmpty ? nil : formats
    }

    /// The form that Calibre calls so; `nil` for what isn't an EPUB.
    init?(calibreName: String) {
        self.init(rawValue: calibreName.lowercased())
    }

    /// The place of this form in a list of preferences; behind all of it where it isn't there.
    func rank(in preference: [BookFormat]) -> Int {
        preference.firstIndex(of: self) ?? preference.count
    }
}
