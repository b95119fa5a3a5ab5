internal import HTTP

/// A file of a library that somebody else looks after: a Calibre library, a folder of books.
///
/// Its content is served where it lies, whatever `cache.local` says. So that everybody can tell from the URL alone, it
/// names the host: `file://localhost/…` means the same file as `file:///…` (RFC 8089, section 2), and no catalog document
/// gets there, as what it names is written without.
package enum LibraryFile {
    private static var prefix: String { "file://localhost/" }

    /// The URL of a file of a library.
    ///
    /// - Returns: `nil` for a relative path, or one with a NUL in it.
    static func url(path: String) -> String? {
        URLReference.fileURL(path: path).map { prefix + $0.dropFirst("file:///".count) }
    }

    /// Whether a URL is that of a file of a library.
    package static func isOne(_ url: String) -> Bool { url.utf8.starts(with: prefix.utf8) }
}
