internal import Shelf
internal import Synchronization

/// One fetch of one content version: it takes what arrives, and tells the cache how far it is.
///
/// Lock order: `work` is held while bytes are written and is taken by the one thread that delivers, so nobody waits for it;
/// the cache's locks are taken after it was let go.
final class Flight: ContentReceiver {
    let version: ContentVersion

    /// Who asked first, for the journal.
    let program: String

    private let cache: ContentCache

    private struct Work: ~Copyable {
        var stage: StageFile?

        /// Of the whole content, in bytes; `nil` where neither catalog nor source says.
        var expectedByteCount: Int64?
        var etag: String?

        /// The first bytes, until there are enough to tell what they are.
        var beginning: [UInt8] = []

        /// Whether what came so far may be shown to readers.
        var isAccepted = false
    }

    private let work = Mutex(Work())

    init(_ version: ContentVersion, for program: String, in cache: ContentCache) {
        self.version = version
        self.program = program
        self.cache = cache
    }

    // MARK: - Arrival

    func didReceive(_ response: ContentResponse) throws(ContentError) {
        try check(response)
        var stage: StageFile? = try cache.beginAttempt(of: self)
        let expected = response.byteCount ?? (version.byteCount > 0 ? version.byteCount : nil)
        work.withLock { work in
            work.stage = stage.take()
            work.expectedByteCount = expected
            work.etag = response.etag
            work.beginning = []
            work.isAccepted = false
        }
    }

    func didReceive(_ bytes: Span<UInt8>) throws(ContentError) {
        cache.journal.add(byteCount: bytes.count, for: program)
        let arrival = try write(bytes)
        guard arrival.isAcceptable else { return }
        if !arrival.isAccepted, let expected = arrival.expectedByteCount { try accept(expected) }
        try post(arrival)
    }

    func willRetry(after error: ContentError) {
        cache.noteRetry(of: self, after: error)
    }

    func didFinish(_ outcome: Result<Void, ContentError>) {
        if case .failure(let error) = outcome {
            work.withLock { $0.stage = nil }
            cache.land(self, .failure(version.isSuperseded && error.isMissing ? .superseded : error))
            return
        }
        cache.commits.run { self.commit() }
    }

    // MARK: - Checks

    private func check(_ response: ContentResponse) throws(ContentError) {
        guard response.offset == 0 else {
            throw .broken(reason: "the source began in the middle of the content")
        }
        if response.byteCount == 0 { throw mismatch("the source sent an empty file") }
        if let stated = response.byteCount, stated != version.byteCount, version.byteCount > 0, version.isSizeBinding {
            throw mismatch("the source states \(stated) bytes where the catalog says \(version.byteCount)")
        }
    }

    /// Takes what came for content of this book, before a reader sees the first byte of it.
    private func accept(_ byteCount: Int64) throws(ContentError) {
        if byteCount != version.byteCount, !cache.sizeCorrection(version.id, byteCount) {
            throw mismatch("the source states \(byteCount) bytes where the catalog says \(version.byteCount)")
        }
        work.withLock { $0.isAccepted = true }
    }

    /// That what came isn't the content of the version.
    private func mismatch(_ reason: String) -> ContentError {
        version.isSuperseded ? .superseded : .broken(reason: reason)
    }

    // MARK: - Bytes

    private struct Arrival {
        let stagedByteCount: Int64
        let expectedByteCount: Int64?

        /// Whether the beginning is that of a book.
        let isAcceptable: Bool
        let isAccepted: Bool
    }

    private func write(_ bytes: Span<UInt8>) throws(ContentError) -> Arrival {
        let outcome: Result<Arrival, ContentError> = work.withLock { work in
            do throws(ContentError) {
                guard work.stage != nil else { throw .broken(reason: "bytes came before a response") }
                let staged = (work.stage?.byteCount ?? 0) + Int64(bytes.count)
                if let expected = work.expectedByteCount, staged > expected {
                    throw mismatch("more came than the \(expected) bytes that were announced")
                }
                try work.stage?.append(bytes)
                for index in bytes.indices.prefix(max(0, 4 - work.beginning.count)) {
                    work.beginning.append(bytes[index])
                }
                return .success(
                    Arrival(
                        stagedByteCount: staged, expectedByteCount: work.expectedByteCount,
                        isAcceptable: try isAcceptable(work.beginning), isAccepted: work.isAccepted))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Whether content may begin like that; `false` while there is too little to tell.
    private func isAcceptable(_ beginning: [UInt8]) throws(ContentError) -> Bool {
        guard version.mustLookLikeEPUB else { return true }
        let signature = Array("PK\u{3}\u{4}".utf8)
        guard beginning.elementsEqual(signature.prefix(beginning.count)) else {
            throw mismatch("what came is not an EPUB; some networks answer so until one logs in")
        }
        return beginning.count == signature.count
    }

    private func post(_ arrival: Arrival) throws(ContentError) {
        // The end is kept back until the whole is verified: nobody finishes a bad copy.
        let expected = arrival.expectedByteCount ?? 0
        let readable = min(arrival.stagedByteCount, max(0, expected - ContentCache.keptBackByteCount))
        try cache.post(self, staged: arrival.stagedByteCount, readable: readable) { () throws(ContentError) in
            try openForReading()
        }
    }

    private func openForReading() throws(ContentError) -> CachedFile {
        let outcome: Result<CachedFile, ContentError> = work.withLock { work in
            do throws(ContentError) {
                guard let file = try work.stage?.openForReading() else { throw .broken(reason: "nothing is staged") }
                return .success(CachedFile(arriving: file, byteCount: work.expectedByteCount ?? 0))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    // MARK: - The end

    private func commit() {
        do throws(ContentError) {
            var stage: StageFile?
            let (expected, etag) = work.withLock { work in
                swap(&stage, &work.stage)
                return (work.expectedByteCount, work.etag)
            }
            guard let stage = stage.take() else { throw .broken(reason: "the source sent nothing") }
            guard stage.byteCount == expected ?? stage.byteCount else {
                throw mismatch("only \(stage.byteCount) bytes came of \(expected ?? 0)")
            }
            if stage.byteCount == 0 { throw mismatch("the source sent an empty file") }
            if expected == nil { try accept(stage.byteCount) }
            if version.mustLookLikeEPUB, stage.byteCount < 4 { throw mismatch("what came is not an EPUB") }
            cache.land(self, .success(try cache.keep(stage, as: version, etag: etag)))
        } catch {
            cache.land(self, .failure(error))
        }
    }
}

extension ContentVersion {
    /// Whether the source's own word on the size is an error if it differs.
    var isSizeBinding: Bool { isByteCountBinding || sha256 != nil }

    /// Whether only its beginning can tell the book from the page of a captive portal; none stands before a file.
    var mustLookLikeEPUB: Bool {
        sha256 == nil && mediaType == "application/epub+zip" && !url.hasPrefix("file:")
    }
}

extension ContentError {
    fileprivate var isMissing: Bool {
        if case .missing = self { true } else { false }
    }
}
