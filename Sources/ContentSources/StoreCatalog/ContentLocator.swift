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
            let probe = URLReference.resolve("x", against: url)
            let isWeb = ["http", "https", "s3"].contains(probe.flatMap { Self.scheme(of: $0) })
            simplePrefix = isWeb ? probe.map { String($0.dropLast()) } : nil
        case .unknown:
            base = nil
            books = nil
            simplePrefix = nil
        }
    }

    /// The place that `contentUrl` names.
    func place(of reference: String) -> Claim<Place> {
        guard let (url, kind) = resolve(reference) else {
            return .wrong(base == nil && Self.scheme(of: reference) == nil ? Self.relativeFault : "isn't a URL")
        }
        switch (kind, origin) {
        case (.web, _), (.object, _): return .stated(Place(url: url))
        case (.file, .directory(let directory)): return place(of: reference, asFile: url, in: directory)
        case (.file, .network): return .wrong("is a file: a store on the network can't name files of this machine")
        case (.file, .unknown): return .wrong("is a file: only a catalog that is read from a file can name files")
        case (.other, _): return .wrong("is neither http, https, s3 nor file")
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
        guard let (url, kind) = resolve(reference), kind == .web else { return nil }
        return url
    }

    private static var relativeFault: String { "is relative, and it isn't known where this document came from" }

    // MARK: - URLs

    /// What a URL names.
    private enum Kind {
        /// `http` or `https`.
        case web

        /// `s3`, an object of S3.
        case object
        case file
        case other
    }

    private func resolve(_ reference: String) -> (url: String, kind: Kind)? {
        // Nearly all URLs are as they should be, and a shelf has a million of them.
        let bytes = reference.utf8.span
        for prefix in ["https://", "http://"] as [StaticString] where bytes.starts(with: prefix) {
            let path = bytes.endOfPlainHost(from: prefix.utf8CodeUnitCount)
            if let path, bytes.isPlainPath(from: path, isRelative: false) { return (reference, .web) }
        }
        if let simplePrefix, bytes.isPlainPath(from: 0, isRelative: true) {
            return (simplePrefix + reference, simplePrefix.hasPrefix("s3:") ? .object : .web)
        }

        // An absolute URL may be its own base.
        guard let url = URLReference.resolve(reference, against: base ?? reference) else { return nil }
        switch Self.scheme(of: url) {
        case "http", "https": return (url, .web)
        case "s3": return (url, .object)
        case "file": return (url, .file)
        default: return (url, .other)
        }
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

extension Span<UInt8> {
    fileprivate func starts(with prefix: StaticString) -> Bool {
        guard count >= prefix.utf8CodeUnitCount else { return false }
        for index in 0..<prefix.utf8CodeUnitCount where unsafe self[index] != prefix.utf8Start[index] { return false }
        return true
    }

    /// Where the name of a host that begins at `start` ends, with its port.
    ///
    /// - Returns: `nil` if there is anything out of the ordinary.
    fileprivate func endOfPlainHost(from start: Int) -> Int? {
        var index = start
        while index < count, self[index].isUnreserved { index += 1 }
        guard index > start, self[start] != UInt8(ascii: ".") else { return nil }
        if index < count, self[index] == UInt8(ascii: ":") {
            let port = index + 1
            index = port
            while index < count, self[index] &- UInt8(ascii: "0") < 10 { index += 1 }
            // Four digits are a port whatever they are.
            guard (1...4).contains(index - port) else { return nil }
        }
        let isEnd = index == count || self[index] == UInt8(ascii: "/") || self[index] == UInt8(ascii: "?")
        return isEnd ? index : nil
    }

    /// Whether what begins at `start` is a path, perhaps with a query, that stays as it is when it is resolved.
    ///
    /// There is nothing to be escaped, no fragment, no segment that begins with a dot. One that `isRelative` also has to
    /// mean the same behind a folder as by itself.
    fileprivate func isPlainPath(from start: Int, isRelative: Bool) -> Bool {
        if isRelative, start == count || self[start] == UInt8(ascii: "/") || self[start] == UInt8(ascii: "?") {
            return false
        }
        var previous = UInt8(ascii: "/")
        for index in start..<count {
            let byte = self[index]
            let isPlain =
                byte.isUnreserved || byte.isPlainMark || byte == UInt8(ascii: "/")
                || (byte == UInt8(ascii: ":") && !isRelative)
            guard isPlain, previous != UInt8(ascii: "/") || byte != UInt8(ascii: ".") else { return false }
            previous = byte
        }
        return true
    }
}

extension UInt8 {
    /// RFC 3986, section 2.3.
    fileprivate var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Whether it may stand in a path or a query and changes nothing about how they are resolved.
    fileprivate var isPlainMark: Bool {
        switch self {
        case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "="), UInt8(ascii: "&"), UInt8(ascii: "+"),
            UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "@"), UInt8(ascii: "!"), UInt8(ascii: "$"),
            UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"):
            true
        default: false
        }
    }
}
