internal import Accounts
internal import Catalog
internal import CommandLanguage
internal import ContentSources
internal import HTTP
internal import Processes
internal import Shelf
internal import Synchronization

/// Brings the catalog up to date with one source.
struct SourceSync {
    let loop: TransferLoop
    let samples: SamplePolicy
    let connectTimeout: Duration
    let stallTimeout: Duration
    let accounts: AccountSessions

    /// `category-from`.
    let categoryField: String

    /// How long a whole catalog may take to come.
    private static var totalTimeout: Duration { .seconds(1_800) }

    /// How large a catalog may be, decompressed.
    private static var maximumByteCount: Int64 { 8 << 30 }

    /// Syncs a source.
    ///
    /// - Returns: What was done.
    /// - Throws: ``SourceError``; the catalog is then as it was.
    func run(_ source: Source, writer: borrowing CatalogWriter) throws(SourceError) -> SyncSummary {
        switch SourceKind(rawValue: source.kind) {
        case .store: try syncStore(source, writer: writer)
        case .opds: try syncFeed(source, writer: writer)
        case .calibre: try syncCalibre(source, writer: writer)
        case .folder: try syncFolder(source, writer: writer)
        case nil:
            throw .refused(reason: "sources of kind \(source.kind) can't be synced by this version")
        }
    }

    private func syncStore(_ source: Source, writer: borrowing CatalogWriter) throws(SourceError) -> SyncSummary {
        if URLReference.isOnNetwork(source.location) { return try syncFromNetwork(source, writer: writer) }
        let path = URLReference.path(ofFileURL: source.location) ?? source.location
        let document = try CatalogDocument(path: path)
        let origin = try CatalogOrigin.beside(path)
        return try importing(document, origin: origin, encoding: nil, as: source, writer: writer)
    }

    /// Imports one document as what the source has.
    ///
    /// - Parameters:
    ///   - document: Read to its end.
    ///   - origin: Where it came from.
    ///   - encoding: As iconv(3) calls it; `nil` for UTF-8.
    ///   - source: Whose books it replaces.
    ///   - writer: Of the catalog.
    /// - Returns: What that changed.
    /// - Throws: ``SourceError``; the catalog is as it was.
    func importing(
        _ document: consuming CatalogDocument, origin: CatalogOrigin, encoding: String?, as source: Source,
        writer: borrowing CatalogWriter
    ) throws(SourceError) -> SyncSummary {
        let document = SharedDocument(document)
        return try replace(source, validators: Validators(), writer: writer) { (deliver) throws(SourceError) in
            try RecordPipe.run(
                { (deliver) throws(SourceError) in
                    try StoreCatalogReader.read(
                        origin: origin, encoding: encoding, next: { () throws(SourceError) in try document.next() },
                        deliver: deliver)
                }, deliver: deliver)
        }
    }

    private func replace(
        _ source: Source, validators: Validators, writer: borrowing CatalogWriter,
        from read: (_ deliver: (SourceRecord) throws(SourceError) -> Void) throws(SourceError) -> Void
    ) throws(SourceError) -> SyncSummary {
        try writer.replaceBooks(
            of: source, validators: { validators }, samples: samples, now: Now.nanoseconds, from: read)
    }

    // MARK: - Feeds

    private func syncFeed(_ source: Source, writer: borrowing CatalogWriter) throws(SourceError) -> SyncSummary {
        guard
            let start = source.location.contains("://") ? source.location : URLReference.fileURL(path: source.location)
        else { throw .refused(reason: "\(source.location) isn't the place of a feed") }
        let feed = CatalogFeed(source, sync: self)
        var walk = CatalogWalk(start: start, preference: SourceOptions(source).preference)
        do throws(SourceError) {
            return try writer.replaceBooks(
                of: source, validators: { feed.wholeValidators }, samples: samples, now: Now.nanoseconds
            ) { (deliver) throws(SourceError) in
                try walk.run(from: feed, deliver: deliver)
            }
        } catch {
            guard feed.isNotModified else { throw error }
            var summary = SyncSummary()
            summary.isNotModified = true
            return summary
        }
    }

    // MARK: - Libraries of this machine

    private func syncCalibre(_ source: Source, writer: borrowing CatalogWriter) throws(SourceError) -> SyncSummary {
        guard let field = CategoryField(categoryField) else {
            throw .refused(
                reason: "category-from is “\(categoryField)”: use tags, series, publisher, or a column such as #genre")
        }
        let path = SourceKind.path(source.location) ?? source.location
        let library = CalibreLibrary(path, preference: SourceOptions(source).preference, categories: field)
        return try replace(source, validators: Validators(), writer: writer) { (deliver) throws(SourceError) in
            try library.read(deliver: deliver)
        }
    }

    private func syncFolder(_ source: Source, writer: borrowing CatalogWriter) throws(SourceError) -> SyncSummary {
        let path = SourceKind.path(source.location) ?? source.location
        let listing = try FolderListing(of: path, except: Set(MountedShelf.ownedByThisUser().map(\.mountPoint)))
        let fingerprint = listing.fingerprint
        if source.validators.etag == fingerprint {
            var summary = SyncSummary()
            summary.isNotModified = true
            return summary
        }
        var isSettled = false
        let folder = BookFolder(path)
        return try writer.replaceBooks(
            of: source, validators: { Validators(etag: isSettled ? fingerprint : nil) }, samples: samples,
            now: Now.nanoseconds
        ) { (deliver) throws(SourceError) in
            isSettled = try folder.read(listing, now: Now.nanoseconds, wait: ThisProcess.wait(for:), deliver: deliver)
        }
    }

    // MARK: - Network

    /// What came of a conditional request.
    private struct Answer {
        var isNotModified = false
        var validators = Validators()
        var failure: SourceError?

        /// Whether the document begins as XML or a web page does.
        var isMarkup = false
    }

    private func syncFromNetwork(_ source: Source, writer: borrowing CatalogWriter) throws(SourceError) -> SyncSummary {
        var answer = Answer()
        do throws(SourceError) {
            return try withoutActuallyEscaping({ answer.validators }) { validators throws(SourceError) in
                try writer.replaceBooks(
                    of: source, validators: validators, samples: samples, now: Now.nanoseconds
                ) { (deliver) throws(SourceError) in
                    try download(source, into: &answer, deliver: deliver)
                }
            }
        } catch {
            guard answer.isNotModified else { throw error }
            var summary = SyncSummary()
            summary.isNotModified = true
            return summary
        }
    }

    /// - Throws: Also when nothing was modified, so that nothing is replaced; `answer` says so.
    private func download(
        _ source: Source, into answer: inout Answer, deliver: (SourceRecord) throws(SourceError) -> Void
    ) throws(SourceError) {
        var request = TransferRequest(url: source.location)
        request.group = source.name
        request.allowsPlainHTTP = source.allowsPlainHTTP
        request.allowsCompression = true
        request.connectTimeout = connectTimeout
        request.stallTimeout = stallTimeout
        request.totalTimeout = Self.totalTimeout
        request.maximumBodyByteCount = Self.maximumByteCount
        if let etag = source.validators.etag { request.fields.append(.init("If-None-Match", etag)) }
        if let date = source.validators.lastModified { request.fields.append(.init("If-Modified-Since", date)) }
        var reader: StoreCatalogReader?
        var got = Answer()
        var isFirst = true
        do throws(HTTPError) {
            try loop.perform(request, by: accounts) { head in
                if head.status == 304 {
                    got.isNotModified = true
                    return .stop
                }
                got.validators = Validators(etag: head["etag"], lastModified: head["last-modified"])
                do throws(SourceError) {
                    // What is beside an object is named as the object is, and not by the server that has it today.
                    let isObject = URLReference.scheme(source.location) == "s3"
                    reader = try StoreCatalogReader(
                        origin: .network(isObject ? source.location : head.effectiveURL))
                    return .goOn
                } catch {
                    got.failure = error
                    return .stop
                }
            } onBody: { bytes in
                if isFirst {
                    got.isMarkup = bytes.indices.first { bytes[$0] > 0x20 }.map { bytes[$0] } == UInt8(ascii: "<")
                    isFirst = false
                }
                do throws(SourceError) {
                    try reader?.feed(bytes, deliver: deliver)
                    return .goOn
                } catch {
                    got.failure = error
                    return .stop
                }
            }
        } catch {
            answer = got
            if case .malformed = got.failure, got.isMarkup {
                throw .refused(
                    reason:
                        "\(URLReference.place(source.location)) answered with XML or a web page, not with a catalog in JSON; "
                        + "for an OPDS feed, remove the source and add it again with --kind opds")
            }
            throw got.failure ?? SourceError(error, source: source)
        }
        answer = got
        if got.isNotModified { throw .refused(reason: "not modified") }
        try reader?.finish(deliver: deliver)
    }
}

extension SourceError {
    /// - Parameters:
    ///   - error: Of a request for a catalog.
    ///   - source: Named in the words.
    init(_ error: HTTPError, source: Source) {
        switch error {
        case .unreachable(let reason), .timedOut(let reason), .fileMissing(let reason), .fileUnreadable(let reason):
            self = .unreachable(reason: reason)
        case .status(let status, let reason) where status == 401 || status == 403:
            self = .denied(reason: "\(reason); log in with: bookshelf login \(source.name)")
        case .loginNeeded(let reason): self = .denied(reason: reason)
        case .status(_, let reason), .tls(let reason), .wrongKey(let reason), .refusedRedirect(let reason),
            .tooLarge(let reason),
            .brokenOff(let reason), .protocolBroken(let reason), .badURL(let reason):
            self = .refused(reason: reason)
        case .plainHTTPRefused(let reason):
            self = .refused(reason: "\(reason); to allow it, add the source with --allow-http")
        case .cancelled: self = .unreachable(reason: error.reason)
        }
    }
}

/// A document that another thread reads.
private final class SharedDocument: Sendable {
    private let document: Mutex<CatalogDocument>

    init(_ document: consuming sending CatalogDocument) {
        self.document = Mutex(document)
    }

    func next() throws(SourceError) -> [UInt8]? {
        let piece = document.withLock { document in
            Result { () throws(SourceError) in try document.next() }
        }
        return try piece.get()
    }
}
