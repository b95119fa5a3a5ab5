internal import FileLock

/// The mark of a catalog in which damage was met: a file beside it, with the words of the error.
///
/// Whoever meets damage sets it, at whatever page and in whatever process. The next opening for writing finds it and has
/// the catalog rebuilt, which takes it away.
struct DamageMark {
    let path: String

    /// - Parameter catalogPath: Of the catalog that the mark is for.
    init(besideCatalogAt catalogPath: String) {
        path = catalogPath + ".needs-rebuilding"
    }

    /// The name of its file, without its directory.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// What was met; `nil` while the catalog isn't marked.
    var reason: String? { FileLock.words(at: path) }

    /// Marks the catalog; one that is marked keeps its reason.
    func set(reason: String) {
        FileLock.make(path, words: reason)
    }

    /// The right to rebuild: one process at a time.
    ///
    /// - Returns: `nil` if another process has it for longer than a minute.
    func lock() -> FileLock? {
        try? FileLock(path, .exclusive, waitingAtMost: .seconds(60))
    }
}
