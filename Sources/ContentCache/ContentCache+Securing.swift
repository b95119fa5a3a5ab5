internal import Glibc
package import Shelf
internal import Synchronization

/// How content that is read already gets to the disk.
///
/// Readers don't wait for the disk, only those who want content to be on it. Until it is, a content is good for as long as the system
/// runs, whatever becomes of its processes: its record says so.
extension ContentCache {
    /// More than that don't wait for the disk: each holds a file open.
    private static var maximumUnsecuredCount: Int { 32 }

    /// Has a content brought to the disk, which is waited for by the caller only where many wait already.
    func secureSoon(_ content: UnsecuredContent) {
        let count = unsecured.withLock { unsecured in
            unsecured.insert(content.version.id)
            return unsecured.count
        }
        if count > Self.maximumUnsecuredCount { return secure(content) }
        let isTaken = syncs.run { self.secure(content) }
        // Whoever opens the cache next makes up for it.
        if !isTaken { noteSecured(content.version.id) }
    }

    /// Whether nothing of a content waits for the disk, so that what is there of it outlives the system.
    package func isSecured(_ version: VersionID) -> Bool {
        !unsecured.withLock { $0.contains(version) }
    }

    /// Calls `action` once a content is on the disk, or gone because it can't be.
    func whenSecured(_ version: VersionID, _ action: @escaping @Sendable () -> Void) {
        if isSecured(version) { return action() }
        // Behind the work for it on both threads.
        let isTaken = syncs.run { if !self.commits.run(action) { action() } }
        if !isTaken { action() }
    }

    /// What became of a content for which the disk was waited.
    ///
    /// By the file alone: what the catalog says of the content may have changed since its flight began, its size by the flight itself.
    func secured(_ file: CachedFile, of version: VersionID) -> Result<CachedFile, ContentError> {
        if file.isInMemory || directory.contentStamp(of: version)?.inode == file.inode { return .success(file) }
        if let other = openFiles[version], other.isIntact { return .success(other) }
        if let other = memory[version] { return .success(other) }
        return .failure(.cacheFailed(reason: "the disk did not take it"))
    }

    private func noteSecured(_ version: VersionID) {
        unsecured.withLock { _ = $0.remove(version) }
    }

    private func secure(_ content: UnsecuredContent) {
        do throws(ContentError) {
            try content.stage.synchronise()
        } catch {
            let isTaken = commits.run { self.recover(content, after: error, mayCopy: true) }
            if !isTaken { recover(content, after: error, mayCopy: false) }
            return
        }
        noteOnDisk(content.version.id, inode: content.file.inode)
        noteSecured(content.version.id)
    }

    /// Has the record of a content say that it is on the disk, if it still is that file.
    private func noteOnDisk(_ version: VersionID, inode: UInt64?) {
        guard let path = try? directory.writeSecuredRecord(of: version) else { return }
        contents.withLock { _ in
            if directory.contentStamp(of: version)?.inode == inode {
                try? directory.move(path, to: directory.recordPath(of: version))
            } else {
                unsafe unlink(path)
            }
        }
    }

    /// Keeps what the disk didn't take elsewhere, or not at all; on the commit thread.
    private func recover(_ content: UnsecuredContent, after error: ContentError, mayCopy: Bool) {
        let version = content.version
        let id = version.id
        defer { noteSecured(id) }
        guard directory.contentStamp(of: id)?.inode == content.file.inode else { return }
        let isOpen = client.isOpen(id)
        let isUnvouched = version.sha256 == nil && isOpen
        if mayCopy, error.isForLackOfRoom,
            let kept = try? keepACopy(of: content.stage, as: version, etag: content.etag, isRead: isOpen, after: error)
        {
            guard kept.isInMemory else { return }
            if isUnvouched { unverified.noteUnvouched(id) }
            return discard(id, content.file.stamp)
        }
        settleStage(of: id)
        memory.cancel(id)
        // Nobody can tell that the same bytes will come again.
        if isUnvouched { unverified.condemn(id) }
        discard(id, content.file.stamp)
        journal.note(error, of: version)
    }

    /// Brings to the disk what an earlier process has left, which was killed before it could, and removes what was not there yet when the
    /// system went down.
    func secureLeftovers() {
        directory.forEachContent { version, stamp in
            if directory.isOfEarlierStart(version) { return discard(version, stamp) }
            guard let record = directory.record(of: version), record.start != nil,
                isSecured(version),
                let file = try? Descriptor(openingForReading: directory.bookPath(of: version), by: settings.calls),
                FileStamp(descriptor: file.number) == stamp, (try? file.synchronise()) != nil
            else { return }
            noteOnDisk(version, inode: stamp.inode)
        }
    }
}
