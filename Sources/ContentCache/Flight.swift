internal import Shelf
internal import Synchronization

/// One fetch of one content version, over as many requests as it takes.
///
/// It begins with one request for the whole; a part that a reader far ahead waits for is asked for beside it where the source sends
/// parts. When a request breaks off, another goes on behind what has come. Readers join and leave; the flight goes on.
///
/// Lock order: `work` is held while bytes are written and is taken by the one thread that delivers, so hardly anybody waits for
/// it; the cache's locks, and the fetcher's, are taken after it was let go.
final class Flight: Sendable {
    let version: ContentVersion

    /// Who asked first, for the journal.
    let program: String

    let cache: ContentCache
    private let isUrgent: Bool
    let work: Mutex<FlightWork>

    /// What is written down of the stage; used by the commit thread.
    let record = Mutex<StageRecord?>(nil)

    /// When it was last written down.
    let lastSave = Mutex(SuspendingClock().now)

    init(_ version: ContentVersion, for program: String, isUrgent: Bool, in cache: ContentCache) {
        self.version = version
        self.program = program
        self.isUrgent = isUrgent
        self.cache = cache
        work = Mutex(FlightWork(version))
    }

    // MARK: - Beginning

    /// Starts it; never waits.
    func begin() {
        if cache.directory.hasStage(of: version.id) {
            // Every block of it is read first.
            cache.commits.run { self.takeUpAndFill() }
        } else {
            beginFromNothing()
        }
    }

    private func takeUpAndFill() {
        let name = CacheDirectory.stageName(of: version.id)
        if cache.isGiven(version.id), let given = cache.directory.givenRecord(of: version.id),
            given.byteCount == version.byteCount,
            let stage = StageFile(takingOver: name, given, cache.directory.stageRecord(name), in: cache.directory)
        {
            // What somebody changed can be had again only from a source that vouches for it.
            guard given.etag != nil || version.sha256 != nil || stage.arrived == given.arrived else {
                return land(.failure(Self.spoiledError), isSpoiled: true)
            }
            return goOn(with: stage, FlightWork.Statement(byteCount: given.byteCount, etag: given.etag))
        }
        guard let found = cache.directory.stageRecord(name), found.byteCount == version.byteCount,
            !cache.isGiven(version.id), let stage = StageFile(takingUp: name, found, in: cache.directory)
        else {
            cache.directory.removeStage(name)
            return beginFromNothing()
        }
        let kept = found.keeping(stage.arrived)
        record.withLock { $0 = kept }
        goOn(with: stage, FlightWork.Statement(byteCount: found.byteCount, etag: found.etag))
    }

    private func goOn(with stage: consuming StageFile, _ statement: FlightWork.Statement) {
        // Until it is whole, somebody may have to go on from here again.
        stage.isKept = true
        var taken: StageFile? = consume stage
        work.withLock { $0.takeUp(taken.take(), statement) }
        share(nil)
        fill()
        seek()
    }

    func beginFromNothing() {
        // Bytes that nobody can vouch for any more were read: nothing may be added to them.
        if cache.isGiven(version.id) { return land(.failure(Self.spoiledError), isSpoiled: true) }
        fill()
    }

    static var spoiledError: ContentError {
        .broken(
            reason: "a part of it was read before and the rest can't be had any more; close the book and open it again")
    }

    /// Asks for what is missing, from its first byte on.
    func fill() {
        var hasAll = false
        let request = work.withLock { work -> ContentRequest? in
            guard !work.isOver else { return nil }
            guard let gap = work.firstGap else {
                hasAll = true
                return nil
            }
            // Without ranges it begins anew, and what comes is compared with what is there.
            let offset = work.hasRanges ? gap.lowerBound : 0
            return ContentRequest(
                version: version, offset: offset, ifRange: offset > 0 ? work.statement?.etag : nil, isUrgent: isUrgent)
        }
        if hasAll { return commit() }
        if let request { launch(.fill, request) }
    }

    /// Asks for what readers far ahead wait for, as long as it makes sense.
    func seek() {
        let awaited = cache.awaitedRanges(of: self)
        guard !awaited.isEmpty else { return }
        let request = work.withLock { work -> ContentRequest? in
            guard let range = work.seek(for: awaited) else { return nil }
            work.lastSeek = range
            return ContentRequest(
                version: version, offset: range.lowerBound, end: range.upperBound, ifRange: work.statement?.etag,
                isUrgent: true)
        }
        if let request { launch(.seek, request) }
    }

    private func launch(_ role: FlightLeg.Role, _ request: ContentRequest) {
        let id = cache.nextID()
        let isWanted = work.withLock { work in
            guard !work.isOver else { return false }
            work.legs[id] = FlightLeg.Progress(role, request.offset..<(request.end ?? .max))
            return true
        }
        guard isWanted else { return }
        if role == .seek || request.offset > 0 { cache.journal.noteRequest(for: program) }
        let transfer = cache.fetcher.fetch(request, into: FlightLeg(id, of: self))
        let isUnwanted = work.withLock { work in
            guard !work.isOver else { return true }
            work.legs[id]?.transfer = transfer
            return false
        }
        if isUnwanted { transfer.cancel() }
    }

    // MARK: - Arrival

    func take(_ response: ContentResponse, from leg: UInt64) throws(ContentError) {
        let outcome: Result<FlightWork.Answer, FlightError> = work.withLock { work in
            do throws(FlightError) { return .success(try work.take(response, from: leg)) } catch {
                return .failure(error)
            }
        }
        switch outcome {
        case .success(.goesOn): return
        case .success(.begins): break
        case .failure(let error): throw stop(leg, error.end)
        }
        record.withLock { $0 = nil }
        do throws(ContentError) {
            var stage: StageFile? = try makeStage()
            work.withLock { $0.begin(in: stage.take()) }
        } catch {
            work.withLock { $0.forgetBeginning() }
            throw stop(leg, error.isForLackOfRoom ? .hasNoRoom(error) : .failed(error))
        }
    }

    func take(_ bytes: Span<UInt8>, from leg: UInt64) throws(ContentError) {
        cache.journal.add(byteCount: bytes.count, for: program)
        try reserveMore(bytes.count, for: leg)
        var outcome = attempt(leg) { (work) throws(FlightError) in try work.take(bytes, from: leg) }
        if case .success(let arrival) = outcome, arrival.isDifferent {
            guard cache.takeBack(self, from: arrival.offset) else {
                throw stop(leg, .changed(.broken(reason: FlightWork.changeReason)))
            }
            record.withLock { $0 = nil }
            outcome = attempt(leg) { (work) throws(FlightError) in try work.replace(bytes, from: leg) }
        }
        switch outcome {
        case .failure(let error): throw stop(leg, error.end)
        case .success(let arrival): share(arrival.new)
        }
        if work.withLock({ $0.isHashingDue() }) { cache.commits.run { self.hash() } }
        saveNowAndThen()
        let isCovered = work.withLock { work in
            guard let progress = work.legs[leg], progress.role == .fill else { return false }
            return work.isAheadCovered(from: progress.position)
        }
        if isCovered { throw stop(leg, .isCovered) }
    }

    /// Hashes what has come, so that little is left when the last byte has.
    private func hash() {
        guard let hashing = work.withLock({ $0.hashing() }) else { return }
        try? hashing.digest.catchUp(in: hashing.file)
    }

    private func attempt(
        _ leg: UInt64, _ body: (inout FlightWork) throws(FlightError) -> FlightWork.Arrival
    ) -> Result<FlightWork.Arrival, FlightError> {
        work.withLock { work in
            do throws(FlightError) { return .success(try body(&work)) } catch { return .failure(error) }
        }
    }

    /// Notes why a leg ends from this side.
    func stop(_ leg: UInt64, _ end: FlightLeg.End) -> ContentError {
        work.withLock { $0.legs[leg]?.end = end }
        return end.error
    }

    func noteRetry(after error: ContentError) {
        cache.noteRetry(of: self, after: error)
    }

    /// Lets readers have what has come, once it may be the book and has the size that the tree shows.
    private func share(_ new: Range<Int64>?) {
        enum Step {
            case wait
            case settle(Int64)
            case open(ArrivingContent)
            case post(Int64)
            case fail(ContentError)
        }
        let step = work.withLock { work -> Step in
            guard !work.isOver, let byteCount = work.statement?.byteCount, work.hasSoundBeginning else { return .wait }
            guard work.isSizeSettled else {
                if work.isSizeAsked { return .wait }
                work.isSizeAsked = true
                return .settle(byteCount)
            }
            if work.isOpened { return .post(work.stagedByteCount) }
            guard !work.arrived.isEmpty else { return .wait }
            do throws(ContentError) {
                guard let file = try work.openStage() else { return .wait }
                work.isOpened = true
                return .open(
                    ArrivingContent(
                        byteCount: byteCount, etag: work.statement?.etag,
                        keptBackByteCount: cache.keptBack(of: version, byteCount: byteCount),
                        file: file, arrived: work.arrived))
            } catch {
                return .fail(error)
            }
        }
        switch step {
        case .wait: return
        case .settle(let byteCount): cache.commits.run { self.settle(byteCount) }
        case .fail(let error): fail(error, isUnfit: false)
        case .open(let content):
            cache.open(self, content)
            seek()
        case .post(let byteCount): cache.post(self, stagedByteCount: byteCount, new: new)
        }
    }

    /// Makes the tree show the size that the source states, before a reader gets the first byte.
    ///
    /// On the commit thread, since the catalog may be waited for.
    private func settle(_ byteCount: Int64) {
        if let error = correctSize(to: byteCount) { return fail(error, isUnfit: true) }
        work.withLock { $0.isSizeSettled = true }
        share(nil)
    }

    /// - Returns: Why those who wait can't have the content.
    private func correctSize(to byteCount: Int64) -> ContentError? {
        // By no tag yet: whether the source has that many bytes is known once they are here.
        let correction =
            version.isSuperseded ? .refused : cache.client.correctSize(of: version, to: byteCount, etag: nil)
        if case .made = correction { return nil }
        // Behind what answers those who wait, on the same thread.
        if case .madeForOthers(let action) = correction { cache.commits.run(action) }
        return work.withLock { work in
            work.mismatch("the source states \(byteCount) bytes where the catalog says \(version.byteCount)")
        }.end.error
    }

    // MARK: - The end

    func commit() {
        cache.commits.run { self.commitNow() }
    }

    private func commitNow() {
        do throws(ContentError) {
            var stage: StageFile?
            let (etag, isSettled, wasOver) = work.withLock { work in
                let wasOver = work.isOver
                if !wasOver {
                    work.isOver = true
                    stage = work.takeStage()
                }
                return (work.statement?.etag, work.isSizeSettled, wasOver)
            }
            // It has landed meanwhile, without the content.
            if wasOver { return }
            guard let stage = stage.take() else { throw .interrupted }
            let byteCount = stage.arrived.end(from: 0)
            if byteCount == 0 { throw .broken(reason: "the source sent an empty file") }
            if version.mustLookLikeEPUB, byteCount < 4 { throw .broken(reason: "what came is not an EPUB") }
            if !isSettled, byteCount != version.byteCount, let error = correctSize(to: byteCount) { throw error }
            let file = try cache.keep(stage, as: version, etag: etag)
            land(.success(file), isSpoiled: false)
            // The size that was corrected binds from now on, for these bytes.
            if byteCount != version.byteCount, etag != nil {
                _ = cache.client.correctSize(of: version, to: byteCount, etag: etag)
            }
            cache.enforceLimits()
        } catch {
            land(.failure(error), isSpoiled: cache.isGiven(version.id))
        }
    }

    /// Ends the flight without the content.
    ///
    /// - Parameters:
    ///   - error: Why.
    ///   - isUnfit: Whether what has come can't be gone on with.
    func fail(_ error: ContentError, isUnfit: Bool) {
        let isGiven = cache.isGiven(version.id)
        let (isFirst, transfers, isKept) = work.withLock { work in
            let isFirst = !work.isOver
            let isKept = !isUnfit && work.mayGoOn(isGiven: isGiven) && (isGiven || !error.isForLackOfRoom)
            work.keepStage(isKept)
            return (isFirst, work.end(), isKept)
        }
        guard isFirst else { return }
        for transfer in transfers { transfer.cancel() }
        if isKept {
            cache.commits.run {
                self.save()
                self.release()
            }
        } else {
            release()
        }
        land(.failure(error), isSpoiled: isGiven && !isKept)
    }

    /// Gives it up, because nobody wants the content any more or the cache is closed.
    ///
    /// - Parameter isKept: Whether a later flight may go on with what has come.
    func giveUp(isKept: Bool) {
        let transfers = work.withLock { work in
            work.keepStage(isKept && work.mayGoOn(isGiven: cache.isGiven(version.id)))
            return work.end()
        }
        for transfer in transfers { transfer.cancel() }
        cache.commits.run {
            if isKept { self.save() }
            self.release()
        }
    }

    /// Lets go of the stage.
    private func release() {
        let released = work.withLock { $0.takeStage() }
        _ = consume released
    }

    func land(_ outcome: Result<CachedFile, ContentError>, isSpoiled: Bool) {
        work.withLock { _ = $0.end() }
        cache.land(self, outcome, isSpoiled: isSpoiled)
    }
}
