package import Shelf

/// What lies in the directory of a cache, for those who only want to say so and hold no lock.
package enum CacheListing {
    /// Passes every content on that is whole and as its record says; nothing is opened, made or removed.
    ///
    /// - Parameters:
    ///   - path: The directory of the cache; one that isn't there holds nothing.
    ///   - catalog: The identity of the catalog whose numbers are meant; a cache of another holds nothing of it.
    ///   - body: Gets the version and its size in bytes, in no order.
    package static func forEachLocal(
        in path: String, ofCatalog catalog: String?, _ body: (VersionID, Int64) -> Void
    ) {
        let directory = CacheDirectory(path: path)
        if let catalog, !directory.belongs(to: catalog) { return }
        directory.forEachContent { version, byteCount in
            guard let stamp = FileStamp(path: directory.bookPath(of: version)),
                let record = directory.record(of: version), record.fits(stamp)
            else { return }
            body(version, byteCount)
        }
    }
}
