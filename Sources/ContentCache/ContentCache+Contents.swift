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

    /// Calls `body` with each content on disk and its size in bytes, in no order.
    package func forEachLocal(_ body: (VersionID, Int64) -> Void) {
        directory.forEachContent { body($0, $1.byteCount) }
    }

    /// Removes a content, unless somebody has it open or waits for it.
    ///
    /// - Returns: Whether nothing of it is on disk now.
    package func evict(_ version: VersionID) -> Bool {
        // Noted before the look at who has it open: whoever opens it from now on drops what the kernel has.
        outdated.insert(version)
        guard !client.isOpen(version), !state.withLock({ $0.isFlying(version) }) else { return false }
        removeFiles(of: version)
        return true
    }

    /// Removes a content that the catalog lists no more; those who wait for it get ``ContentError/removed``.
    package func remove(_ version: VersionID) {
        let (flight, waiters) = state.withLock { $0.giveUp(version) }
        flight?.giveUp(isKept: false)
        answer(waiters, .failure(.removed))
        contents.withLock { $0.reserve(version, nil) }
        removeFiles(of: version)
        unverified.forget(version)
    }

    func removeFiles(of version: VersionID) {
        openFiles.remove(version)
        directory.removeStage(CacheDirectory.stageName(of: version))
        memory.remove(version)
        contents.withLock { inventory in
            directory.removeContent(of: version)
            inventory.setBook(version, nil)
            inventory.setStage(version, nil)
        }
    }

    /// Removes a file that isn't what its record says, unless a good one has taken its place meanwhile.
    func discard(_ version: VersionID, _ stamp: FileStamp?) {
        // Who holds it still learns it by this alone where size and date are as they were.
        if let file = openFiles.remove(version), file.inode == stamp?.inode { file.noteDamaged() }
        contents.withLock { inventory in
            guard directory.contentStamp(of: version)?.inode == stamp?.inode else { return }
            directory.removeContent(of: version)
            inventory.setBook(version, nil)
        }
    }
}
