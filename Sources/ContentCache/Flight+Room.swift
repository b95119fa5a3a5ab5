internal import Shelf
internal import Synchronization

/// Where a flight puts what comes, and what becomes of it when there is no room.
///
/// A full disk evicts once; when that isn't enough, what comes goes to memory, for those who read it.
extension Flight {
    /// Begins once there is room; on the commit thread.
    func findRoom() {
        guard !work.withLock({ $0.isOver }) else { return }
        switch cache.makeRoom(for: version.id, max(0, version.byteCount), isRead: isRead) {
        case .disk: begin()
        case .memory:
            // What is on disk already is gone on with there, for as long as the disk takes it.
            if cache.directory.hasStage(of: version.id) { return begin() }
            work.withLock { $0.place = .memory }
            beginFromNothing()
        case nil: land(.failure(lack("the cache has no room for \(version.byteCount) bytes")), isSpoiled: false)
        }
    }

    private var isRead: Bool { cache.state.withLock { $0.isRead(version.id) } }

    private func lack(_ reason: String) -> ContentError { .noRoom(reason: reason) }

    /// Makes the file that what is about to come goes to.
    ///
    /// - Throws: ``ContentError/noRoom(reason:)`` or ``ContentError/broken(reason:)``.
    func makeStage() throws(ContentError) -> StageFile {
        let (place, stated) = work.withLock { ($0.place, $0.statement?.byteCount ?? 0) }
        let name = CacheDirectory.stageName(of: version.id)
        switch place {
        case .disk:
            if stated > version.byteCount { cache.contents.withLock { $0.reserve(version.id, stated) } }
            return try StageFile(named: name, in: cache.directory)
        case .memory:
            guard cache.reserveMemory(for: version.id, stated) else {
                throw lack("memory has no room for \(stated) bytes")
            }
            return try StageFile(named: name, in: cache.memory, cache.directory)
        }
    }

    /// Reserves memory for bytes of a content whose size nobody has stated.
    func reserveMore(_ byteCount: Int, for leg: UInt64) throws(ContentError) {
        let needed = work.withLock { work -> Int64? in
            guard work.place == .memory, work.statement?.byteCount == nil else { return nil }
            return work.stagedByteCount + Int64(byteCount)
        }
        guard let needed, !cache.reserveMemory(for: version.id, needed) else { return }
        throw stop(leg, .failed(lack("memory has no room for \(needed) bytes")))
    }

    /// Goes on after the disk was full; on the commit thread.
    func makeRoom(after error: ContentError) {
        let (isOver, place, wasLacking, total, staged) = work.withLock { work in
            defer { work.hasLackedRoom = true }
            return (
                work.isOver, work.place, work.hasLackedRoom,
                work.statement?.byteCount ?? max(version.byteCount, work.stagedByteCount), work.stagedByteCount
            )
        }
        if isOver { return }
        guard place == .disk else { return fail(error, isUnfit: false) }
        if !wasLacking, cache.makeRoom(for: version.id, total, staged: staged, isRead: false) == .disk {
            fill()
            return seek()
        }
        guard isRead, cache.reserveMemory(for: version.id, total) else { return fail(error, isUnfit: false) }
        do throws(ContentError) {
            try moveToMemory()
        } catch {
            return fail(error, isUnfit: false)
        }
        fill()
        seek()
    }

    private func moveToMemory() throws(ContentError) {
        var fresh: StageFile? = try StageFile(
            named: CacheDirectory.stageName(of: version.id), in: cache.memory, cache.directory)
        let outcome: Result<CachedFile?, ContentError> = work.withLock { work in
            do throws(ContentError) {
                guard work.statement != nil else {
                    work.place = .memory
                    return .success(nil)
                }
                try work.move(to: fresh.take())
                return .success(work.isOpened ? try work.openStage() : nil)
            } catch {
                return .failure(error)
            }
        }
        if let file = try outcome.get() { cache.replaceFile(of: self, with: file) }
    }
}
