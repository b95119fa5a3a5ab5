internal import Glibc

/// What a `file:` URL must name: reading a pipe or a terminal would hold up the loop.
enum RegularFile {
    /// - Throws: ``HTTPError/fileMissing(reason:)`` or ``HTTPError/fileUnreadable(reason:)``.
    static func check(_ url: String) throws(HTTPError) {
        guard let path = URLReference.path(ofFileURL: url) else {
            throw .badURL(reason: "not a file: URL of this machine")
        }
        var attributes = stat()
        if unsafe stat(path, &attributes) != 0 {
            if errno == EACCES { throw .fileUnreadable(reason: "\(path) may not be read") }
            throw .fileMissing(reason: "\(path) is not there")
        }
        guard attributes.st_mode & Glibc.S_IFMT == Glibc.S_IFREG else {
            throw .fileMissing(reason: "\(path) is not a regular file")
        }
        if unsafe access(path, R_OK) != 0 { throw .fileUnreadable(reason: "\(path) may not be read") }
    }
}
