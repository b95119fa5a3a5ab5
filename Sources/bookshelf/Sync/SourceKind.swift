internal import Glibc
internal import HTTP

/// What a source is, as `--kind` names it.
enum SourceKind: String, CaseIterable {
    /// A catalog document in JSON.
    case store

    /// Feeds of OPDS.
    case opds

    /// The library of a Calibre, on this machine.
    case calibre

    /// A folder of EPUBs, on this machine.
    case folder

    /// What the place of a source looks like.
    ///
    /// - Parameter location: A URL, or the absolute path of something that is there.
    init(recognising location: String) {
        let path = Self.path(location)
        if let path, Self.type(of: path) == S_IFDIR {
            self = Self.type(of: path + "/metadata.db") == S_IFREG ? .calibre : .folder
            return
        }
        let words = location.prefix { $0 != "?" && $0 != "#" }.lowercased().split(separator: "/")
        let last = words.last ?? ""
        let isFeed =
            [".atom", ".opds", ".xml"].contains { last.hasSuffix($0) } || words.contains { $0.hasPrefix("opds") }
        self = isFeed ? .opds : .store
    }

    /// Whether it is a place on this machine.
    var isLocal: Bool { self == .calibre || self == .folder }

    /// The path of a place on this machine; `nil` for a URL of anything else.
    static func path(_ location: String) -> String? {
        location.contains("://") ? URLReference.path(ofFileURL: location) : location
    }

    /// The type of the file at a path, as stat(2) has it; `nil` if there is none.
    static func type(of path: String) -> mode_t? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}
