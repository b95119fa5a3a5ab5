internal import Shelf
internal import Synchronization

/// How what has come becomes content of the cache.
extension ContentCache {
    /// As many bytes at the end of a content are read by nobody before the whole is verified.
    ///
    /// None where no hash tells whether it is right and it is large: its end may come long before its middle.
    func keptBack(of version: ContentVersion, byteCount: Int64) -> Int64 {
        // Of bytes that only their source knows, nobody may get some unless that can be written down.
        let isUnsafe = version.sha256 == nil && directory.freeByteCount ?? .max < Self.markByteCount
        return isUnsafe ? byteCount : Self.keptBack(of: version, byteCount: byteCount)
    }

    private static var markByteCount: Int64 { 16 << 10 }

    /// As many as when all can be written down.
    static func keptBack(of version: ContentVersion, byteCount: Int64) -> Int64 {
        version.sha256 != nil || byteCount < rangeThreshold ? 4_096 : 0
    }

    /// Puts a file whose size is right in its place, once its hash is right too.
    ///
    /// From then on it is read as what it is, and the disk is waited for afterwards, beside all else. Where the disk has no room
    /// it is made at the cost of others, once; then the content is held in memory if somebody reads it.
    ///
    /// - Throws: ``ContentError/noRoom(reason:)`` or ``ContentError/broken(reason:)``; nothing is visible then.
    func keep(_ stage: consuming StageFile, as version: ContentVersion, etag: String?) throws(ContentError)
        -> CachedFile
    {
        try stage.verify(for: version)
        if stage.isInMemory { return try keepInMemory(stage, as: version) }
        let file: CachedFile
        do throws(ContentError) {
            file = try publish(&stage, as: version, etag: etag, start: directory.start)
        } catch {
            // Somebody may have removed the directories under it, which are made again.
            guard error.isForLackOfRoom else { return try keepAgain(stage, as: version, etag: etag, after: error) }
            let isRead = state.withLock { $0.isRead(version.id) }
            return try keepACopy(of: stage, as: version, etag: etag, isRead: isRead, after: error)
        }
        if directory.start != nil { secureSoon(UnsecuredContent(stage, file, of: version, etag: etag)) }
        return file
    }

    /// Keeps what couldn't be kept in another file, once.
    ///
    /// - Throws: `failure`; nothing is kept then.
    private func keepAgain(
        _ stage: borrowing StageFile, as version: ContentVersion, etag: String?, after failure: ContentError
    ) throws(ContentError) -> CachedFile {
        do throws(ContentError) {
            var copy = try stage.copied()
            try copy.verify(for: version)
            return try publish(&copy, as: version, etag: etag, start: nil)
        } catch {
            throw failure
        }
    }

    /// Keeps what the disk had no room for in another file, on the disk or in memory.
    ///
    /// - Throws: `lack`, or what came after it; nothing is kept then.
    func keepACopy(
        of stage: borrowing StageFile, as version: ContentVersion, etag: String?, isRead: Bool, after lack: ContentError
    ) throws(ContentError) -> CachedFile {
        var lack = lack
        let byteCount = stage.arrived.byteCount
        // From a copy: what the disk didn't take the kernel may have dropped.
        if case .disk? = makeRoom(for: version.id, byteCount, isRead: false) {
            do throws(ContentError) {
                var copy = try stage.copied()
                try copy.verify(for: version)
                return try publish(&copy, as: version, etag: etag, start: nil)
            } catch {
                guard error.isForLackOfRoom else { throw error }
                lack = error
            }
        }
        guard isRead, reserveMemory(for: version.id, byteCount) else { throw lack }
        var copy = try StageFile(named: CacheDirectory.stageName(of: version.id), in: memory, directory)
        try copy.takeOver(stage)
        try copy.verify(for: version)
        return try keepInMemory(copy, as: version)
    }

    /// Makes a verified content visible.
    ///
    /// - Parameters:
    ///   - stage: What it is in.
    ///   - version: Whose content it is.
    ///   - etag: As the source wrote it.
    ///   - start: The start of the system beyond which it isn't good yet; `nil` to wait for the disk first.
    /// - Returns: The file, open for reading.
    /// - Throws: ``ContentError/noRoom(reason:)`` or ``ContentError/broken(reason:)``; it isn't visible then.
    private func publish(
        _ stage: inout StageFile, as version: ContentVersion, etag: String?, start: String?
    ) throws(ContentError) -> CachedFile {
        // The disk is waited for with nothing held, since readers take `contents` too.
        let file = try stage.seal(etag: etag, start: start)
        var failure: ContentError?
        contents.withLock { inventory in
            do throws(ContentError) {
                try stage.publish(as: version.id)
                inventory.reserve(version.id, nil)
                inventory.setBook(
                    version.id, Inventory.Item(byteCount: file.byteCount, usedAt: file.stamp?.usedAt ?? 0))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        file.noteUse(atMostEvery: settings.useInterval)
        // The bytes are verified and readable whatever comes of this; after a crash they may have to be fetched again.
        if start == nil { try? directory.synchroniseFolder(of: version.id) }
        openFiles.insert(file, for: version.id)
        memory.remove(version.id)
        unverified.forget(version.id)
        return file
    }

    private func keepInMemory(_ stage: borrowing StageFile, as version: ContentVersion) throws(ContentError)
        -> CachedFile
    {
        let file = try stage.seal(etag: nil, start: nil)
        memory.keep(file, for: version.id, isVouched: version.sha256 != nil)
        // Without a hash nobody could go on with these bytes once they are gone.
        if version.sha256 != nil { unverified.forget(version.id) }
        return file
    }
}
