internal import Shelf
internal import Synchronization

/// What a later flight finds of one that didn't end, or of a process that was killed.
extension Flight {
    func saveNowAndThen() {
        let now = SuspendingClock().now
        let isDue = lastSave.withLock { last in
            guard now - last >= cache.settings.saveInterval else { return false }
            last = now
            return true
        }
        if isDue { saveSoon() }
    }

    func saveSoon() {
        guard cache.isGiven(version.id) || work.withLock({ $0.isWorthKeeping }) else { return }
        cache.commits.run { self.save() }
    }

    /// Writes down what has come.
    func save() {
        guard let snapshot = work.withLock({ $0.snapshot() }) else { return }
        let statement = snapshot.statement
        guard let byteCount = statement.byteCount else { return }
        record.withLock { record in
            if record?.etag != statement.etag || record?.byteCount != byteCount { record = nil }
            var grown = record ?? StageRecord(byteCount: byteCount, etag: statement.etag)
            if grown.hashNewBlocks(in: snapshot.arrived, of: snapshot.file) {
                try? cache.directory.writeStageRecord(grown, CacheDirectory.stageName(of: version.id))
            }
            record = grown
        }
    }
}
