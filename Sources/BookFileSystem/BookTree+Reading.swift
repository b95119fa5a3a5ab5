internal import Catalog
internal import ContentCache
package import FUSE
internal import Log
internal import Shelf
internal import Synchronization

/// Reads: answered from a file of the cache, by descriptor, or parked until a flight has brought the bytes.
extension BookTree {
    package func read(_ request: consuming ReadRequest) {
        guard case .version(let id)? = InodeNumber(request.inode) else { return request.fail(with: .isADirectory) }
        // What goes past the kernel's memory may end wherever it ends.
        let turn = request.isDirect ? nil : shrunkSizes.currentTurn
        // Once an open file is known to be what the catalog says, only the file is looked at: the catalog's answer costs more than
        // all the rest. Whoever opens it, and whatever changes in the catalog, has it asked again.
        if let file = cache.openCurrent(id) { return answer(request, for: id, from: file, turn) }
        let range = request.offset..<request.offset + Int64(request.byteCount)
        if let file = cache.openArriving(id, range) { return answer(request, for: id, from: file, turn) }
        let found: ContentVersion?
        do throws(Errno) {
            found = try answering { () throws(CatalogError) in try catalog.content(id) }
        } catch {
            return request.fail(with: error)
        }
        guard let version = found else { return request.fail(with: .staleHandle) }
        if let file = cache.openLocal(version) {
            cache.noteCurrent(id, file)
            return answer(request, for: id, from: file, turn)
        }
        let program = request.caller.programName
        let isElsewhere = cache.inPlacePolicy.path(ofURL: version.url, source: version.source) == nil
        if let program, deniedPrograms.contains(program), isElsewhere {
            // Nobody asked for the book: no request, and nothing is remembered that another reader would get.
            log.info(
                "a program that may cause no downloads was refused a book that isn't on disk",
                ["program": .public(program), "book": .public(version.title)], limitedBy: program)
            return request.fail(with: .accessDenied)
        }
        park(request, for: version, program: program ?? "unknown", turn)
    }

    private func answer(_ request: consuming ReadRequest, for id: VersionID, from file: CachedFile, _ turn: UInt64?) {
        guard let range = range(of: file, for: id, at: request.offset, atMost: request.byteCount, turn) else {
            return request.fail(with: .inputOutput)
        }
        request.answer(range)
    }

    /// What a READ gets of a file; `nil` if it must be asked again: see ``ShrunkSizes``.
    private func range(
        of file: CachedFile, for id: VersionID, at offset: Int64, atMost byteCount: Int, _ turn: UInt64?
    ) -> FileRange? {
        if let turn,
            shrunkSizes.refuses(id, offset..<offset + Int64(byteCount), of: file.byteCount, askedIn: turn)
        {
            return nil
        }
        return FileRange(of: file, at: offset, atMost: byteCount)
    }

    private func park(
        _ request: consuming ReadRequest, for version: ContentVersion, program: String, _ turn: UInt64?
    ) {
        let (offset, byteCount) = (request.offset, request.byteCount)
        let ticket = ReadTicket()
        let parked = request.park { ticket.giveUp() }
        let pending = cache.read(
            version, range: offset..<offset + Int64(byteCount), deadline: readDeadline, program: program
        ) { [self] outcome in
            switch outcome {
            case .success(let file):
                if let range = range(of: file, for: version.id, at: offset, atMost: byteCount, turn) {
                    parked.answer(range)
                } else {
                    parked.fail(with: .inputOutput)
                }
            case .failure(let error):
                parked.fail(with: Errno(error))
                log.warning(
                    "a book could not be read",
                    [
                        "book": .public(version.title), "id": .public(version.book.rawValue),
                        "errno": .public(error.symbol), "reason": .public(error.reason), "program": .public(program),
                    ])
            }
        }
        ticket.hold(pending)
    }
}

/// What a parked read waits for, so that its interruption can give it up, whichever of the two comes first.
private final class ReadTicket: Sendable {
    private struct State {
        var pending: PendingRead?
        var isGivenUp = false
    }

    private let state = Mutex(State())

    func hold(_ pending: PendingRead) {
        let isGivenUp = state.withLock { state in
            state.pending = pending
            return state.isGivenUp
        }
        if isGivenUp { pending.cancel() }
    }

    func giveUp() {
        let pending = state.withLock { state in
            state.isGivenUp = true
            return state.pending
        }
        pending?.cancel()
    }
}

extension FileRange {
    /// As much of a file as a READ gets: short only where the file ends.
    fileprivate init(of file: CachedFile, at offset: Int64, atMost byteCount: Int) {
        let rest = max(0, file.byteCount - offset)
        self.init(
            descriptor: file.descriptor, offset: offset, byteCount: Int(min(rest, Int64(byteCount))),
            // The cache has looked at one that is whole just now; one that arrives is longer than what has come of it.
            fileByteCount: file.isWhole ? file.byteCount : nil)
    }
}
