internal import Glibc

/// Whose numbers the files go by: the identity of a catalog, in a file beside the tag.
extension CacheDirectory {
    private var ownerPath: String { path + "/catalog" }

    /// Whether what lies here goes by the numbers of a catalog.
    func belongs(to catalog: String) -> Bool {
        text(at: ownerPath, atMost: 1_000) == catalog + "\n"
    }

    /// Writes down again whose numbers they are, if somebody removed that; what is here was looked at when the cache was opened.
    func keepOwner() throws(SystemError) {
        if let catalog, FileStamp(path: ownerPath) == nil { try writeOwner(catalog) }
    }

    /// Removes everything that goes by the numbers of another catalog, or of one that nobody knows; for the only user of
    /// the cache, before it opens anything.
    ///
    /// - Returns: How many files were removed.
    /// - Throws: ``ContentCacheError/unusable(path:reason:)``; nothing may be used then.
    func takeOwnership() throws(ContentCacheError) -> Int {
        guard let catalog, !belongs(to: catalog) else { return 0 }
        do throws(SystemError) {
            var count = try empty(stagePath)
            for folder in names(in: contentPath) { count += try empty("\(contentPath)/\(folder)") }
            try writeOwner(catalog)
            return count
        } catch {
            throw .unusable(path: path, reason: "what it holds of another catalog can't be removed: \(error.words)")
        }
    }

    private func empty(_ directory: String) throws(SystemError) -> Int {
        let names = names(in: directory)
        for name in names {
            guard unsafe unlink("\(directory)/\(name)") == 0 || errno == ENOENT || errno == EISDIR else {
                throw .current
            }
        }
        // After a power cut nothing of the old one may stand under the name of the new one.
        if !names.isEmpty { try Descriptor(opening: directory, O_RDONLY | O_DIRECTORY, by: calls).synchronise() }
        return names.count
    }

    private func writeOwner(_ catalog: String) throws(SystemError) {
        let file = try Descriptor(opening: ownerPath + "~", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, by: calls)
        try file.write(Array((catalog + "\n").utf8).span, at: 0)
        try file.synchronise()
        try move(ownerPath + "~", to: ownerPath)
        try Descriptor(opening: path, O_RDONLY | O_DIRECTORY, by: calls).synchronise()
    }
}
