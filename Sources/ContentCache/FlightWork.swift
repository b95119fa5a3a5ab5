internal import Shelf

/// What a flight knows of the content that comes, and the rules by which bytes of several requests become one content.
///
/// **No mixed bytes.** What has arrived is never replaced. Another request than the first brings its part only if the source
/// vouches for it by a strong validator; otherwise it begins anew, and what comes must be equal to what is there, as far as that goes.
struct FlightWork: ~Copyable {
    /// What the source says about the content.
    struct Statement: Equatable {
        /// In bytes; `nil` where neither source nor catalog says.
        var byteCount: Int64?
        var etag: String?
    }

    let version: ContentVersion
    private(set) var stage: StageFile?

    /// What is in the stage.
    private(set) var arrived = ByteRanges()
    var statement: Statement?
    var legs: [UInt64: FlightLeg.Progress] = [:]

    /// Whether the source sends parts that can be relied upon.
    var hasRanges = false

    /// Whether the size is what the tree shows.
    var isSizeSettled = false

    /// Whether a correction of the size is under way.
    var isSizeAsked = false

    /// Whether what came begins like a book.
    var hasSoundBeginning = false
    var isOver = false

    /// How often it broke off since much came, and ever.
    var breakCount = 0
    var totalBreakCount = 0

    /// How many bytes had come when it last broke off.
    var byteCountAtBreak: Int64 = 0

    /// The part that was last fetched for a reader far ahead.
    var lastSeek: Range<Int64> = 0..<0

    /// Where what comes goes.
    var place = ContentCache.Place.disk

    /// Whether the disk was full once already.
    var hasLackedRoom = false

    /// Whether readers have a file to read from.
    var isOpened = false

    /// Up to where hashing was asked for, in bytes.
    var hashedEnd: Int64 = 0

    private var beginning: [UInt8] = []

    init(_ version: ContentVersion) {
        self.version = version
    }

    /// Whether readers may have what has come.
    var isAccepted: Bool { isSizeSettled && hasSoundBeginning }

    /// How much has come, in bytes.
    var stagedByteCount: Int64 { arrived.byteCount }

    var isComplete: Bool {
        guard let byteCount = statement?.byteCount else { return false }
        return arrived.contains(0..<byteCount)
    }

    /// The first bytes that are missing; the whole while nothing is known.
    var firstGap: Range<Int64>? {
        let limit = statement?.byteCount ?? .max
        return arrived.firstGap(from: 0, limit: limit)
    }

    /// Whether the fetch is worth being taken up by a later flight.
    var isWorthKeeping: Bool {
        (statement?.byteCount ?? 0) >= ContentCache.rangeThreshold && statement?.etag?.isStrongValidator == true
    }

    /// Whether a later flight may go on with what has come.
    ///
    /// - Parameter isGiven: Whether somebody has read of it, to whom nothing else may be given.
    /// - Returns: Whether it may.
    func mayGoOn(isGiven: Bool) -> Bool {
        stagedByteCount > 0 && place == .disk && (isGiven || isWorthKeeping)
    }

    /// That the source ended before the content did.
    var shortage: ContentError {
        .broken(reason: "only \(stagedByteCount) bytes came of \(statement?.byteCount ?? 0)")
    }

    /// What has come at one moment, and the file that it is in.
    struct Snapshot: ~Copyable {
        let file: Descriptor
        let arrived: ByteRanges
        let statement: Statement
    }

    /// - Returns: `nil` if nothing has come.
    mutating func snapshot() -> Snapshot? {
        guard let statement, !arrived.isEmpty, stage?.isInMemory == false,
            let file = try? stage?.openForReading()
        else { return nil }
        return Snapshot(file: file, arrived: arrived, statement: statement)
    }

    // MARK: - Beginnings and ends

    /// Goes on with what an earlier flight has left.
    mutating func takeUp(_ taken: consuming StageFile?, _ said: Statement) {
        stage = taken
        arrived = stage?.arrived ?? ByteRanges()
        statement = said
        hasRanges = isWorthKeeping
        isSizeSettled = true
        // It was looked at when it came.
        hasSoundBeginning = true
        byteCountAtBreak = stagedByteCount
    }

    /// Takes an empty stage for what is about to come.
    mutating func begin(in fresh: consuming StageFile?) {
        stage = fresh
        arrived = ByteRanges()
        hashedEnd = 0
    }

    /// Takes it that nothing was said of what comes: there is nowhere to put it.
    mutating func forgetBeginning() {
        statement = nil
    }

    /// Goes on in memory with all that has come.
    ///
    /// - Throws: ``ContentError/broken(reason:)``; all stays as it was.
    mutating func move(to fresh: consuming StageFile?) throws(ContentError) {
        guard var taken = fresh.take() else { return }
        if let old = stage.take() {
            do throws(ContentError) {
                try taken.takeOver(old)
            } catch {
                stage = consume old
                throw error
            }
            var released: StageFile? = consume old
            released?.isKept = false
        }
        stage = consume taken
        place = .memory
    }

    /// Opens the stage for readers.
    mutating func openStage() throws(ContentError) -> CachedFile? {
        guard let byteCount = statement?.byteCount, let file = try stage?.openForReading() else { return nil }
        return CachedFile(arriving: file, byteCount: byteCount)
    }

    /// Says whether the stage stays on disk when it is let go of.
    mutating func keepStage(_ isKept: Bool) {
        stage?.isKept = isKept
    }

    /// Gives the stage away, if there is one.
    mutating func takeStage() -> StageFile? {
        var taken: StageFile?
        swap(&taken, &stage)
        return taken
    }

    /// Ends it: nothing is taken from now on.
    ///
    /// - Returns: What is still running, to be given up by the caller.
    mutating func end() -> [any ContentTransfer] {
        isOver = true
        defer { legs = [:] }
        return legs.values.compactMap(\.transfer)
    }

    /// How long to wait before another request, after one that broke off.
    ///
    /// - Parameter delays: One for each time in a row that next to nothing came; a source that delivers may break off more often.
    /// - Returns: `nil` to give up.
    mutating func delayAfterBreak(_ delays: [Duration]) -> Duration? {
        if stagedByteCount - byteCountAtBreak >= Self.progressByteCount { breakCount = 0 }
        byteCountAtBreak = stagedByteCount
        breakCount += 1
        totalBreakCount += 1
        guard breakCount <= delays.count, totalBreakCount <= Self.maximumBreakCount else { return nil }
        return delays[breakCount - 1] * Double.random(in: 0.8...1.2)
    }

    private static var maximumBreakCount: Int { 100 }

    /// A request that brought so much was worth the while.
    private static var progressByteCount: Int64 { 64 << 10 }

    /// What is done when a request has ended.
    enum Next {
        case nothing
        case fill
        case seek
        case commit
        case retry(after: Duration, ContentError)
        case makeRoom(ContentError)

        /// - Parameter isUnfit: Whether what has come can't be gone on with.
        case fail(ContentError, isUnfit: Bool)
    }

    /// Gives up on parts: the whole is asked for, and compared with what is there.
    mutating func beginAnew(after error: ContentError, _ delays: [Duration]) -> Next {
        hasRanges = false
        return delayAfterBreak(delays).map { .retry(after: $0, error) } ?? .fail(error, isUnfit: false)
    }

    // MARK: - What the source says

    /// What the beginning of a response means.
    enum Answer {
        /// It is the first that says what comes: a stage is to be made.
        case begins

        /// It goes on with what is there.
        case goesOn
    }

    /// Takes the beginning of a response to a leg.
    ///
    /// - Throws: Why it isn't what was asked for.
    mutating func take(_ response: ContentResponse, from id: UInt64) throws(FlightError) -> Answer {
        guard !isOver, let leg = legs[id] else { throw FlightError(.failed(.interrupted)) }
        let said = Statement(
            byteCount: response.byteCount ?? (version.byteCount > 0 ? version.byteCount : nil), etag: response.etag)
        legs[id]?.isAnswered = true
        if response.offset == 0, leg.range.lowerBound > 0 {
            // The whole instead of a part: there are no parts, or this is another content.
            hasRanges = false
            if leg.role == .seek { throw FlightError(.hasNoRanges(.broken(reason: "the source sends no parts"))) }
            legs[id]?.position = 0
        } else if response.offset != leg.range.lowerBound {
            throw FlightError(.hasNoRanges(.broken(reason: "the source sent another part than it was asked for")))
        }
        guard let known = statement else {
            try check(response)
            begin(said, response)
            return .begins
        }
        if response.offset > 0 {
            // A part without the tag may be of anything: RFC 9110, 15.3.7, has a source send it where the whole has one.
            guard response.byteCount == nil || response.byteCount == known.byteCount, response.etag == known.etag
            else { throw FlightError(.hasNoRanges(.broken(reason: "the source sent a part of another content"))) }
            return .goesOn
        }
        try check(response)
        if said.byteCount != known.byteCount {
            guard stagedByteCount == 0 else {
                throw FlightError(.changed(.broken(reason: Self.changeReason)))
            }
            begin(said, response)
            return .begins
        }
        statement = said
        hasRanges = hasRanges && isWorthKeeping
        return .goesOn
    }

    static var changeReason: String { "the source has changed the book while it was being fetched" }

    private mutating func begin(_ said: Statement, _ response: ContentResponse) {
        statement = said
        hasRanges = isWorthKeeping && !response.isEncoded
        isSizeSettled = said.byteCount == version.byteCount
        isSizeAsked = false
        isOpened = false
        beginning = []
        hasSoundBeginning = !version.mustLookLikeEPUB
    }

    private func check(_ response: ContentResponse) throws(FlightError) {
        if response.byteCount == 0 { throw mismatch("the source sent an empty file") }
        if let stated = response.byteCount, stated != version.byteCount, version.byteCount > 0,
            version.isSizeBinding(withETag: response.etag)
        {
            throw mismatch("the source states \(stated) bytes where the catalog says \(version.byteCount)")
        }
    }

    /// That what came isn't the content of the version.
    func mismatch(_ reason: String) -> FlightError {
        FlightError(.mismatch(version.isSuperseded ? .superseded : .broken(reason: reason)))
    }

    // MARK: - Bytes

    /// What bytes that came mean.
    struct Arrival {
        /// What is there now and wasn't.
        let new: Range<Int64>?

        /// Where they stand that came, in bytes.
        let offset: Int64

        /// Whether they differ from what was there, from `offset` on.
        let isDifferent: Bool
    }

    /// Takes the next bytes of a leg.
    ///
    /// - Throws: Why they can't be a part of the content.
    mutating func take(_ bytes: Span<UInt8>, from id: UInt64) throws(FlightError) -> Arrival {
        guard !isOver, let leg = legs[id], leg.isAnswered else {
            throw FlightError(.failed(.interrupted))
        }
        let offset = leg.position
        let end = offset + Int64(bytes.count)
        if let byteCount = statement?.byteCount, end > byteCount {
            throw mismatch("more came than the \(byteCount) bytes that were announced")
        }
        do throws(ContentError) {
            // Parts that the source vouches for are not compared: it has said that they are of the same content.
            if leg.range.lowerBound == 0 || !hasRanges, let isSame = try stage?.agrees(with: bytes, at: offset), !isSame
            {
                return Arrival(new: nil, offset: offset, isDifferent: true)
            }
            let new = try stage?.write(bytes, at: offset) ?? nil
            if let new { arrived.insert(new) }
            legs[id]?.position = end
            if offset < 4, !hasSoundBeginning { try checkBeginning(bytes) }
            return Arrival(new: new, offset: offset, isDifferent: false)
        } catch {
            if error.isForLackOfRoom { throw FlightError(.hasNoRoom(error)) }
            throw FlightError(error.isBroken && version.isSuperseded ? .failed(.superseded) : .failed(error))
        }
    }

    /// Takes bytes that differ from what was there, once nobody is left who has got what they replace.
    mutating func replace(_ bytes: Span<UInt8>, from id: UInt64) throws(FlightError) -> Arrival {
        if let offset = legs[id]?.position {
            stage?.cut(at: offset)
            arrived.cut(at: offset)
        }
        return try take(bytes, from: id)
    }

    private mutating func checkBeginning(_ bytes: Span<UInt8>) throws(ContentError) {
        for index in bytes.indices.prefix(max(0, 4 - beginning.count)) { beginning.append(bytes[index]) }
        let signature = Array("PK\u{3}\u{4}".utf8)
        guard beginning.elementsEqual(signature.prefix(beginning.count)) else {
            throw .broken(reason: "what came is not an EPUB; some networks answer so until one logs in")
        }
        hasSoundBeginning = beginning.count == signature.count
    }
}

/// Why a leg is ended from this side.
struct FlightError: Error {
    let end: FlightLeg.End

    init(_ end: FlightLeg.End) {
        self.end = end
    }
}
