internal import ContentCache
internal import ContentSources
internal import HTTP

extension InPlacePolicy {
    /// What is served where it lies: the files of libraries, and by the settings also those that a catalog names.
    ///
    /// - Parameter cachesLocalFiles: `cache.local`.
    init(cachesLocalFiles: Bool) {
        self.init { url, _ in
            // Asked at every read: other URLs are told by their beginning.
            guard url.utf8.prefix(5).elementsEqual("file:".utf8) else { return nil }
            guard !cachesLocalFiles || LibraryFile.isOne(url) else { return nil }
            return URLReference.path(ofFileURL: url)
        }
    }
}
