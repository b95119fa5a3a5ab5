internal import FileLock
internal import SQLite

/// Rebuilds a catalog that is marked as damaged.
///
/// A new catalog takes from the damaged one, row by row, all that can be read of it, under the numbers that it had; what
/// the rows that are lost had said is put together from others as far as it goes, and the next sync restates it. The
/// damaged files are kept aside, never deleted.
///
/// Processes may have the damaged catalog open meanwhile, and it may be a driver that serves what it still can:
///
/// 1. The lock of the mark: one process rebuilds, and whoever waited for it finds the mark gone.
/// 2. The journal is written back as far as that goes, and the write lock of the damaged catalog is taken and kept: no
///    transaction is lost between what is read from it and the replacement. A writer that waits for it finds the file
///    moved (``CatalogError/replaced``).
/// 3. The new catalog is made under a name of its own, and closed, so that it has no journal; then it is on the disk.
/// 4. The lock that openings share is taken alone: nobody opens the new catalog with the journal of the old one. The old
///    file gets its name aside as well, its journal goes there, and the new one takes the name by rename(2).
/// 5. The mark goes. Whoever still has the old file open (SQLite knows that it has moved, and leaves the journal of the
///    new one alone) finds that another file has the name.
///
/// A process that dies before 4 has changed nothing; one that dies within finds the mark, and begins again.
package struct CatalogRecovery: Sendable {
    private let path: String
    private let mark: DamageMark
    private let rebuilds: RebuildHistory

    /// - Parameter path: Of the catalog.
    package init(path: String) {
        self.path = path
        mark = DamageMark(besideCatalogAt: path)
        rebuilds = RebuildHistory(besideCatalogAt: path)
    }

    /// The file beside the catalog that is there for as long as the catalog is marked, without its directory.
    package var markName: String { mark.name }

    /// What damage was met since the last rebuilding; `nil` if none was.
    package var damage: String? { mark.reason }

    /// The last rebuilding; `nil` if there was none.
    package var lastRebuild: Rebuild? { rebuilds.last }

    /// Whether the catalog is marked as damaged and may be rebuilt: not when it was damaged again and again.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: Whether ``rebuildIfMarked(now:)`` would do anything.
    package func isDue(now: Int64) -> Bool {
        mark.reason != nil && rebuilds.allowsAnother(at: now)
    }

    /// Rebuilds the catalog if it is marked as damaged.
    ///
    /// - Parameter now: Seconds since 1970, for the name of what is kept aside.
    /// - Returns: What was done; `nil` if nothing had to be, or another process did it.
    /// - Throws: ``CatalogError`` if there can't be a new one; the damaged one is then still in its place.
    package func rebuildIfMarked(now: Int64) throws(CatalogError) -> Rebuild? {
        guard mark.reason != nil else { return nil }
        guard let lock = mark.lock() else { throw .busy }
        guard lock.isOf(mark.path), let reason = mark.reason else {
            // Locking may have made it anew.
            lock.holdUntilHere()
            return nil
        }
        guard rebuilds.allowsAnother(at: now) else {
            throw .other(
                reason:
                    "it was damaged and rebuilt \(RebuildHistory.maximumCount) times within an hour and is damaged again (\(reason)); check the disk that holds \(path)"
            )
        }
        let rebuild = try translatingQuietly { () throws(SQLiteError) in
            try replaceCatalog(at: now, reason: reason)
        }
        rebuilds.note(rebuild)
        lock.remove(mark.path)
        lock.holdUntilHere()
        return rebuild
    }

    private func replaceCatalog(at now: Int64, reason: String) throws(SQLiteError) -> Rebuild {
        let damaged = DatabaseFile(path)
        // What can't even be opened or locked can't be written by others either.
        guard damaged.byteCount ?? 0 > 0, let guardian = try? Connection(path, access: .readWrite) else {
            return try replace(damaged, at: now, reason: reason)
        }
        try? guardian.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        do throws(SQLiteError) {
            try guardian.execute("BEGIN IMMEDIATE")
        } catch {
            if error.kind == .busy { throw error }
        }
        defer { try? guardian.execute("ROLLBACK") }
        return try replace(damaged, at: now, reason: reason)
    }

    private func replace(_ damaged: DatabaseFile, at now: Int64, reason: String) throws(SQLiteError) -> Rebuild {
        let new = DatabaseFile(path + ".rebuilding")
        new.remove()
        do throws(SQLiteError) {
            let (count, isComplete) = try fill(new, from: damaged, now: now)
            let aside = DatabaseFile(try freeName(at: now))
            let lockPath = CatalogFile.openingLock(of: path)
            guard let opening = try? FileLock(lockPath, .exclusive, waitingAtMost: .seconds(60)) else {
                throw SQLiteError.busy(waitingFor: lockPath)
            }
            defer { opening.holdUntilHere() }
            try new.replace(damaged, keptAs: aside)
            return Rebuild(
                at: now, reason: reason, keptAt: aside.path, salvagedRowCount: count,
                isComplete: isComplete)
        } catch {
            new.remove()
            throw error
        }
    }

    /// Makes the new catalog.
    ///
    /// - Returns: How many rows were taken, and whether every row could be read.
    private func fill(
        _ new: DatabaseFile, from damaged: DatabaseFile, now: Int64
    ) throws(SQLiteError) -> (count: Int, isComplete: Bool) {
        let catalog = try Connection(new.path, access: .create)
        try catalog.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -24576; BEGIN")
        for migration in Migration.all {
            for script in migration.scripts { try catalog.execute(script) }
            try catalog.setVersion(Int32(migration.version), applicationID: Schema.applicationID)
        }
        try catalog.execute("COMMIT")
        let isReadable =
            damaged.byteCount ?? 0 > 0 && (try? catalog.run("ATTACH ?1 AS old", .text(damaged.path))) != nil
        // Outside of a transaction: SQLite writes no more in one in which it has met damage.
        var salvage = Salvage()
        if isReadable {
            try salvage.run(on: catalog)
            CatalogIdentity.adopt(fromOldInto: catalog)
        }
        try catalog.execute("BEGIN")
        try HighWaterMark(besideCatalogAt: path).apply(to: catalog)
        try ShelfRepair(now: now * 1_000_000_000).run(on: catalog)
        try catalog.execute("COMMIT")
        if isReadable { try catalog.execute("DETACH old") }
        try catalog.execute("PRAGMA journal_mode = WAL")
        return (salvage.count, isReadable && !salvage.hasLostRows)
    }

    /// A name for the damaged file that tells the day and the time, in UTC.
    private func freeName(at now: Int64) throws(SQLiteError) -> String {
        var date = ""
        let clock = try Connection(":memory:", access: .create)
        var format = try Statement("SELECT strftime('%Y%m%d-%H%M%S', ?1, 'unixepoch')", on: clock)
        try format.forEachRow([.integer(now)]) { (row) throws(SQLiteError) in date = row.text(at: 0) }
        let name = "\(path).damaged-\(date)"
        var free = name
        var number = 1
        while DatabaseFile(free).byteCount != nil {
            number += 1
            free = "\(name)-\(number)"
        }
        return free
    }

    /// Damage that is met here is known; marking it again would make a mark for the new catalog.
    private func translatingQuietly<Success>(
        _ body: () throws(SQLiteError) -> Success
    ) throws(CatalogError) -> Success {
        do throws(SQLiteError) { return try body() } catch {
            if error.kind == .corrupt { throw .other(reason: "it can't be rebuilt: \(error.description)") }
            throw CatalogError(error)
        }
    }
}
