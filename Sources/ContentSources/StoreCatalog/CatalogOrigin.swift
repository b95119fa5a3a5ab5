internal import Glibc
internal import HTTP
package import Shelf

/// Where a catalog document came from, which decides what it may name and what relative URLs in it mean.
package enum CatalogOrigin: Hashable, Sendable {
    /// From a file in this directory, an absolute path: it may name files of this machine, and relative URLs and the
    /// folder `books` lie beside it.
    case directory(String)

    /// From this `http` or `https` URL: it may name nothing but `http` and `https`.
    case network(String)

    /// From standard input or the like: absolute `http` and `https` URLs only.
    case unknown

    /// The origin of a document that is read from the file at `path`.
    ///
    /// - Throws: ``SourceError/unreachable(reason:)`` if the directory of the file isn't there.
    package static func beside(_ path: String) throws(SourceError) -> CatalogOrigin {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard let resolved = unsafe realpath(directory, nil) else {
            throw .unreachable(reason: "the folder of \(path) can't be found")
        }
        defer { unsafe free(resolved) }
        return .directory(unsafe String(cString: resolved))
    }
}

extension CatalogOrigin {
    /// The origin of a page with an absolute URL.
    init(pageAt url: String) {
        guard let path = URLReference.path(ofFileURL: url), let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        else {
            self = .network(url)
            return
        }
        self = .directory(slash == path.startIndex ? "/" : String(path[..<slash]))
    }
}
