internal import Glibc
internal import Shelf
internal import Synchronization

/// How much the cache may hold, and what goes when that is too little.
extension ContentCache {
    /// Where the content of a flight goes.
    enum Place {
        case disk

        /// Nowhere on disk: to its readers only. Room is reserved.
        case memory
    }

    /// How much the cache may hold now, in bytes.
    package var limitByteCount: Int64 {
        guard let free = directory.freeByteCount else { return settings.limit(.max) }
        return settings.limit(free + contents.withLock { $0.bookByteCount })
    }

    /// How much is on disk: counted once, and again when somebody else has changed the directory of contents.
    package func usage() -> Usage {
        countIfNeeded()
        return contents.withLock { Usage(byteCount: $0.bookByteCount, fileCount: $0.books.count) }
    }

    // MARK: - Counting

    /// Counts what is on disk unless that is known.
    func countIfNeeded() {
        let identity = directory.contentIdentity
        let isKnown = contents.withLock { $0.isCounted && $0.identity == identity }
        if !isKnown { count() }
    }

    private func count() {
        // With nothing held, since readers take the lock too; what changes meanwhile is counted once more.
        for _ in 0..<3 {
            let before = contents.withLock { $0.generation }
            let (books, stages, identity) = counted()
            let isTaken = contents.withLock { inventory in
                guard inventory.generation == before else { return false }
                inventory.replace(books: books, stages: stages, identity: identity)
                return true
            }
            if isTaken { return }
        }
        contents.withLock { inventory in
            let (books, stages, identity) = counted()
            inventory.replace(books: books, stages: stages, identity: identity)
        }
    }

    private func counted() -> ([VersionID: Inventory.Item], [VersionID: Inventory.Item], [Int64]?) {
        let identity = directory.contentIdentity
        var books: [VersionID: Inventory.Item] = [:]
        var stages: [VersionID: Inventory.Item] = [:]
        directory.forEachContent { version, stamp in
            books[version] = Inventory.Item(byteCount: stamp.byteCount, usedAt: stamp.usedAt)
        }
        directory.forEachStage { version, stamp in
            stages[version] = Inventory.Item(byteCount: stamp.allocatedByteCount, usedAt: stamp.usedAt)
        }
        return (books, stages, identity)
    }

    /// Takes the stage of a flight that is over for what it is now.
    func settleStage(of version: VersionID) {
        let stamp = directory.stageStamp(of: version)
        contents.withLock { inventory in
            inventory.reserve(version, nil)
            inventory.setStage(
                version, stamp.map { Inventory.Item(byteCount: $0.allocatedByteCount, usedAt: $0.usedAt) })
        }
    }

    // MARK: - Room

    /// What is left free on the disk, for the records of what is kept.
    private static var slackByteCount: Int64 { 64 << 10 }

    /// Takes room for a content if there is enough, without looking for any, nor waiting for whoever does.
    ///
    /// - Returns: Whether there is.
    func takeRoom(for version: VersionID, _ byteCount: Int64) -> Bool {
        guard let free = directory.freeByteCount else { return false }
        // Asked for by threads that must not wait for a disk.
        let isTaken = contents.withLockIfAvailable { inventory in
            guard inventory.isCounted else { return false }
            let others = inventory.byteCount - inventory.pendingByteCount(of: version)
            let staged = inventory.stages[version]?.byteCount ?? 0
            guard others + byteCount <= settings.limit(free + inventory.bookByteCount),
                byteCount - staged + Self.slackByteCount <= free
            else { return false }
            inventory.reserve(version, byteCount)
            return true
        }
        return isTaken ?? false
    }

    /// Finds room for a content, at the cost of others; on the commit thread.
    ///
    /// A content that is to stay on disk may take more than the limit, and so may one for which memory is too small.
    ///
    /// - Parameters:
    ///   - version: Whose content it is.
    ///   - byteCount: Of the whole.
    ///   - staged: How much of it is on disk, if that is known better than by its stage.
    ///   - isRead: Whether somebody reads it, so that memory is of use.
    /// - Returns: Where it goes; `nil` for nowhere.
    func makeRoom(for version: VersionID, _ byteCount: Int64, staged: Int64? = nil, isRead: Bool) -> Place? {
        countIfNeeded()
        let isPinned = client.isPinned(version)
        guard let free = directory.freeByteCount else { return .disk }
        let (known, others, books) = contents.withLock {
            (
                staged ?? $0.stages[version]?.byteCount ?? 0, $0.byteCount - $0.pendingByteCount(of: version),
                $0.bookByteCount
            )
        }
        let limit = settings.limit(free + books)
        let short = byteCount - known + Self.slackByteCount - free
        let over = others + byteCount - limit
        // In vain for a content that is larger than all of it.
        let isWithinLimit = byteCount <= limit && (over <= 0 || evict(over, limit, for: version, orNothing: !isPinned))
        let freed = (directory.freeByteCount ?? free) - free
        let isOnDisk = short <= freed || evict(short - freed, limit, for: version, orNothing: true)
        if isOnDisk, isWithinLimit || isPinned {
            contents.withLock { $0.reserve(version, byteCount) }
            return .disk
        }
        if isRead, reserveMemory(for: version, byteCount) { return .memory }
        guard isOnDisk else { return nil }
        contents.withLock { $0.reserve(version, byteCount) }
        return .disk
    }

    /// Finds room in memory for a content, at the cost of others.
    ///
    /// - Returns: Whether there is.
    func reserveMemory(for version: VersionID, _ byteCount: Int64) -> Bool {
        guard let gone = memory.reserve(version, byteCount, isOpen: client.isOpen) else { return false }
        for other in gone { outdated.insert(other) }
        return true
    }

    /// Keeps the cache within its limits; on the commit thread.
    func enforceLimits() {
        countIfNeeded()
        if let age = settings.maximumAge { evictUnused(for: age) }
        let limit = limitByteCount
        let over = contents.withLock { $0.byteCount } - limit
        if over > 0 { _ = evict(over, limit, for: nil, orNothing: false) }
    }

    /// Looks for what wasn't read for too long, now and then.
    func watchAge() {
        guard let age = settings.maximumAge else { return }
        later(min(age / 10 + .seconds(1), .seconds(3_600))) { [weak self] in
            self?.commits.run { [weak self] in self?.enforceLimits() }
            self?.watchAge()
        }
    }

    private func evictUnused(for age: Duration) {
        let now = Self.now
        let oldest = now - age.components.seconds * 1_000_000_000 - age.components.attoseconds / 1_000_000_000
        var order = contents.withLock { EvictionOrder(of: $0, limit: .max, now: now) }
        while let candidate = order.next() {
            guard candidate.item.usedAt < oldest else { continue }
            if isStale(candidate, &order) || candidate.item.usedAt >= oldest { continue }
            if mayGo(candidate.version) { _ = remove(candidate) }
        }
    }

    /// Removes what goes first until so many bytes are gone.
    ///
    /// - Parameters:
    ///   - wantedByteCount: How much.
    ///   - limit: Of the cache, in bytes.
    ///   - version: For which, and which therefore stays.
    ///   - isAllOrNothing: Whether nothing goes if that isn't enough.
    /// - Returns: Whether that much is gone.
    private func evict(
        _ wantedByteCount: Int64, _ limit: Int64, for version: VersionID?, orNothing isAllOrNothing: Bool
    ) -> Bool {
        var byteCount = wantedByteCount
        var order = contents.withLock { EvictionOrder(of: $0, limit: limit, now: Self.now) }
        var victims: [EvictionOrder.Candidate] = []
        var found: Int64 = 0
        while found < byteCount, let candidate = order.next() {
            guard candidate.version != version, !isStale(candidate, &order) else { continue }
            guard mayGo(candidate.version) else {
                // Others would go in vain; it goes itself once it is closed.
                if candidate.isTooLarge, !client.isPinned(candidate.version) { byteCount -= candidate.item.byteCount }
                continue
            }
            victims.append(candidate)
            found += candidate.item.byteCount
        }
        if found < byteCount, isAllOrNothing { return false }
        var gone: Int64 = 0
        for victim in victims where remove(victim) { gone += victim.item.byteCount }
        return gone >= byteCount
    }

    /// Whether a file isn't what the inventory says, so that its turn comes later or it is gone already.
    private func isStale(_ candidate: EvictionOrder.Candidate, _ order: inout EvictionOrder) -> Bool {
        let version = candidate.version
        let stamp = candidate.isStage ? directory.stageStamp(of: version) : directory.contentStamp(of: version)
        guard let stamp else {
            contents.withLock { inventory in
                if candidate.isStage { inventory.setStage(version, nil) } else { inventory.setBook(version, nil) }
            }
            return true
        }
        guard stamp.usedAt > candidate.item.usedAt else { return false }
        contents.withLock { $0.noteUse(of: version, at: stamp.usedAt) }
        order.putBack(candidate, usedAt: stamp.usedAt)
        return true
    }

    private func mayGo(_ version: VersionID) -> Bool {
        !client.isOpen(version) && !state.withLock { $0.isFlying(version) } && !client.isPinned(version)
    }

    /// - Returns: Whether it went.
    private func remove(_ candidate: EvictionOrder.Candidate) -> Bool {
        if !candidate.isStage { return evict(candidate.version) }
        // Nobody has it open, so nobody has what was given out of it but the kernel.
        outdated.insert(candidate.version)
        guard mayGo(candidate.version) else { return false }
        directory.removeStage(CacheDirectory.stageName(of: candidate.version))
        unverified.forget(candidate.version)
        contents.withLock { $0.setStage(candidate.version, nil) }
        return true
    }

    /// In nanoseconds since 1970.
    private static var now: Int64 { timespec(of: CLOCK_REALTIME).nanoseconds }
}
