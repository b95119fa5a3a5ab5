package import Shelf
internal import Synchronization

/// What lies in the cache, and how it goes.
extension ContentCache {
    /// Where a content stands.
    package func state(of version: VersionID) -> ContentState {
        if let staged = state.withLock({ $0.stagedByteCount(of: version) }), staged > 0 { return .partial }
        guard let stamp = FileStamp(path: directory.bookPath(of: version)),
            let record = directory.record(of: version), record.fits(stamp)
        else { return directory.hasStage(of: version) ? .partial : .placeholder }
        return .local
    }

    /// How much is on disk; counted at the first call, kept from then on.
    package func usage() -> Usage {
        contents.withLock { usage in
            if let usage { return usage }
            var counted = Usage()
            directory.forEachContent { _, byteCount in counted.replace(nil, with: byteCount) }
            usage = counted
            return counted
        }
    }

    /// Calls `body` with each content on disk and its size in bytes, in no order.
    package func forEachLocal(_ body: (VersionID, Int64) -> Void) {
        directory.forEachContent(body)
    }

    /// Removes a content, unless somebody has it open or waits for it.
    ///
    /// - Returns: Whether nothing of it is on disk now.
    package func evict(_ version: VersionID) -> Bool {
        guard !client.isOpen(version), state.withLock({ $0.stagedByteCount(of: version) == nil }) else { return false }
        removeFiles(of: version)
        return true
    }

    /// Removes a content that the catalog lists no more; those who wait for it get ``ContentError/removed``.
    package func remove(_ version: VersionID) {
        let (flight, waiters) = state.withLock { $0.giveUp(version) }
        flight?.giveUp(isKept: false)
        answer(waiters, .failure(.removed))
        removeFiles(of: version)
        unverified.forget(version)
    }

    func removeFiles(of version: VersionID) {
        openFiles.remove(version)
        directory.removeStage(CacheDirectory.stageName(of: version))
        contents.withLock { usage in
            let old = FileStamp(path: directory.bookPath(of: version))
            directory.removeContent(of: version)
            usage?.replace(old?.byteCount, with: nil)
        }
    }

    /// Removes a file that isn't what its record says, unless a good one has taken its place meanwhile.
    func discard(_ version: VersionID, _ stamp: FileStamp?) {
        openFiles.remove(version)
        contents.withLock { usage in
            let now = FileStamp(path: directory.bookPath(of: version))
            guard now?.inode == stamp?.inode else { return }
            directory.removeContent(of: version)
            usage?.replace(now?.byteCount, with: nil)
        }
    }
}

extension ContentCache.Usage {
    /// Counts a file instead of another; `nil` where there is none.
    mutating func replace(_ old: Int64?, with new: Int64?) {
        if let old {
            byteCount -= old
            fileCount -= 1
        }
        if let new {
            byteCount += new
            fileCount += 1
        }
    }
}
