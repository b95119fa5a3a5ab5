internal import Glibc
internal import HTTP

/// Finds out where the content of a record is, and what its other links mean.
///
/// What a document may name depends on where it came from: a store on the network can't name files of this machine.
final class ContentLocator {
    /// Where content is, and what the file system says about it where it is a file that is there.
    struct Place {
        let url: String
        var byteCount: Int64?

        /// Seconds since 1970.
        var modifiedAt: Int64?
    }

    private let origin: CatalogOrigin

    /// What relative URLs are resolved against; `nil` where that isn't known.
    private let base: String?

    /// What stands before a relative URL without anything special in it once it is resolved.
    private let simplePrefix: String?
    private let books: BooksFolder?

    init(_ origin: CatalogOrigin) {
        self.origin = origin
        switch origin {
        case .directory(let path):
            base = URLReference.fileURL(path: path.hasSuffix("/") ? path : path + "/")
            books = BooksFolder(in: path)
            simplePrefix = nil
        case .network(let url):
            base = url
            books = nil
            simplePrefix = URLReference.resolve("x", against: url).map { String($0.dropLast()) }
        case .unknown:
            base = nil
            books = nil
            simplePrefix = nil
        }
    }

    /// The place that `contentUrl` names.
    func place(of reference: String) -> Claim<Place> {
        guard let url = resolve(reference) else {
            return .wrong(base == nil && Self.scheme(of: reference) == nil ? Self.relativeFault : "isn't a URL")
        }
        switch (Self.scheme(of: url), origin) {
        case ("http", _), ("https", _): return .stated(Place(url: url))
        case ("file", .directory(let directory)): return place(of: reference, asFile: url, in: directory)
        case ("file", .network): return .wrong("is a file: a store on the network can't name files of this machine")
        case ("file", .unknown): return .wrong("is a file: only a catalog that is read from a file can name files")
        default: return .wrong("is neither http, https nor file")
        }
    }

    /// The content of a record without `contentUrl`: `books/ID.epub`, then `books/TITLE.epub` beside the document.
    func place(besideFor id: String?, title: String) -> Place? {
        guard let found = id.flatMap({ books?.find($0) }) ?? books?.find(title) else { return nil }
        return Place(url: found.url, byteCount: found.byteCount, modifiedAt: found.modifiedAt)
    }

    /// The absolute URL of a cover; `nil` for what the document may not name.
    func cover(_ reference: String) -> String? {
        place(of: reference).value?.url
    }

    /// The absolute URL of a page in the store, which a browser will be told to open: `http` and `https` only.
    func page(_ reference: String) -> String? {
        guard let url = resolve(reference), let scheme = Self.scheme(of: url), scheme != "file" else { return nil }
        return scheme == "http" || scheme == "https" ? url : nil
    }

    private static var relativeFault: String { "is relative, and it isn't known where this document came from" }

    // MARK: - URLs

    private func resolve(_ reference: String) -> String? {
        if Self.isPlainAbsolute(reference) { return reference }
        if let simplePrefix, Self.isSimpleRelative(reference) { return simplePrefix + reference }
        // An absolute URL may be its own base.
        return URLReference.resolve(reference, against: base ?? reference)
    }

    /// The scheme in lower case; `nil` for a relative URL.
    private static func scheme(of url: String) -> String? {
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = url[..<colon]
        let isScheme = scheme.utf8.allSatisfy { byte in
            (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
        return isScheme && !scheme.isEmpty ? scheme.lowercased() : nil
    }

    /// Whether this is surely an absolute URL as it should be, which nearly all are: nothing then needs to be done.
    private static func isPlainAbsolute(_ url: String) -> Bool {
        for prefix in ["https://", "http://"] where url.utf8.starts(with: prefix.utf8) {
            let rest = url.utf8.dropFirst(prefix.utf8.count)
            guard let first = rest.first, isUnreserved(first) else { return false }
            return rest.allSatisfy { isUnreserved($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }
                && !hasDotSegment(rest)
        }
        return false
    }

    /// Whether resolving this means writing it behind the base.
    private static func isSimpleRelative(_ reference: String) -> Bool {
        guard let first = reference.utf8.first, first != UInt8(ascii: "/") else { return false }
        return reference.utf8.allSatisfy { isUnreserved($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }
            && !hasDotSegment(Substring(reference).utf8)
    }

    private static func hasDotSegment(_ path: Substring.UTF8View) -> Bool {
        var previous = UInt8(ascii: "/")
        for byte in path {
            if previous == UInt8(ascii: "/"), byte == UInt8(ascii: ".") { return true }
            previous = byte
        }
        return false
    }

    /// RFC 3986, section 2.3.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    // MARK: - Files

    private func place(of reference: String, asFile url: String, in directory: String) -> Claim<Place> {
        let path = URLReference.path(ofFileURL: url)
        if let path, let status = Self.status(of: path) { return Self.place(path, status) }
        // Many write the name of a file where a URL is wanted: “What?.epub”, “100%.epub”.
        if Self.scheme(of: reference) == nil {
            let literal = reference.hasPrefix("/") ? reference : directory + "/" + reference
            if let status = Self.status(of: literal) { return Self.place(literal, status) }
        }
        guard let plain = path.flatMap({ URLReference.fileURL(path: $0) }) else {
            return .wrong("isn't the URL of a file here")
        }
        return .stated(Place(url: plain))
    }

    private static func place(_ path: String, _ status: stat) -> Claim<Place> {
        guard status.st_mode & S_IFMT == S_IFREG, let url = URLReference.fileURL(path: path) else {
            return .wrong("isn't the URL of a file")
        }
        return .stated(
            Place(url: url, byteCount: Int64(status.st_size), modifiedAt: Int64(status.st_mtim.tv_sec)))
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status : nil
    }
}
