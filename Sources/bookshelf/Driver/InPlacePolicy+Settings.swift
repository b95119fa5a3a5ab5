internal import ContentCache
internal import HTTP

extension InPlacePolicy {
    /// What the settings say of files that a catalog names.
    ///
    /// - Parameter cachesLocalFiles: `cache.local`.
    init(cachesLocalFiles: Bool) {
        guard !cachesLocalFiles else {
            self = .none
            return
        }
        self.init { url, _ in
            // Asked at every read: other URLs are told by their beginning.
            guard url.utf8.prefix(5).elementsEqual("file:".utf8) else { return nil }
            return URLReference.path(ofFileURL: url)
        }
    }
}
