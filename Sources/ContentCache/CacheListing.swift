package import Shelf

/// What lies in the directory of a cache, for those who only want to say so and hold no lock.
package enum CacheListing {
    /// What is free where the cache is, or would be made, in bytes.
    package static func freeByteCount(at path: String) -> Int64 {
        var place = path[...]
        while !place.isEmpty {
            if let count = CacheDirectory(path: String(place)).freeByteCount { return count }
            place = place.lastIndex(of: "/").map { place[..<$0] } ?? ""
        }
        return CacheDirectory(path: "/").freeByteCount ?? 0
    }

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
        directory.forEachContent { version, stamp in
            guard let record = directory.record(of: version), record.fits(stamp) else { return }
            body(version, stamp.byteCount)
        }
    }
}
