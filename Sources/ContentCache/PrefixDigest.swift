internal import Digest
internal import Glibc
internal import Synchronization

/// The SHA-256 of a content that arrives, as far as it has come without a gap.
///
/// It is made from what is in the file, some way behind those who write to it and on another thread: they have enough to do.
///
/// Lock order: `state` is taken last, for moments: a piece is read and hashed with nothing held.
final class PrefixDigest: Sendable {
    private struct State: ~Copyable {
        /// `nil` while a piece is being added.
        var digest: IncrementalDigest? = IncrementalDigest(.sha256)

        /// How many bytes from the start are in it.
        var byteCount: Int64 = 0

        /// Up to where the file has what will be there, in bytes from the start.
        var limit: Int64 = 0

        /// Where the piece ends that is being added, in bytes.
        var pieceEnd: Int64 = 0

        /// How often it was begun anew: a piece that was being added by then is of no use.
        var beginningCount = 0

        mutating func beginAnew() {
            digest = IncrementalDigest(.sha256)
            byteCount = 0
            pieceEnd = 0
            beginningCount += 1
        }

        /// - Returns: `nil` if nothing has come that isn't hashed, or a piece is being added.
        mutating func takePiece(atMost count: Int64) -> Piece? {
            guard byteCount < limit, let taken = digest.take() else { return nil }
            pieceEnd = min(limit, byteCount + count)
            return Piece(digest: consume taken, range: byteCount..<pieceEnd, beginningCount: beginningCount)
        }

        /// Takes a piece back that was added up to `end`, unless other bytes have come meanwhile.
        mutating func put(_ piece: consuming Piece, upTo end: Int64) {
            guard piece.beginningCount == beginningCount else { return }
            byteCount = end
            pieceEnd = end
            digest = .some(piece.digest)
        }
    }

    /// A hash and what is to be added to it.
    private struct Piece: ~Copyable {
        var digest: IncrementalDigest
        let range: Range<Int64>
        let beginningCount: Int
    }

    private let state = Mutex(State())
    private static var pieceByteCount: Int64 { 1 << 20 }

    /// Notes up to where there are bytes that stay, in bytes from the start.
    func noteArrival(upTo end: Int64) {
        state.withLock { $0.limit = end }
    }

    /// Forgets what lies at or after `offset`: other bytes come there.
    func cut(at offset: Int64) {
        state.withLock { state in
            state.limit = min(state.limit, offset)
            if max(state.byteCount, state.pieceEnd) > offset { state.beginAnew() }
        }
    }

    /// Hashes what has come and isn't hashed yet.
    ///
    /// - Parameter file: The content, open for reading.
    /// - Throws: ``SystemError``; what was hashed stays good.
    func catchUp(in file: borrowing Descriptor) throws(SystemError) {
        while try hashPiece(of: file) {}
    }

    /// Ends the hash; the next one begins anew.
    ///
    /// - Parameter file: The content, open for reading, of which all has come.
    /// - Returns: The hash of the whole, in lower-case hexadecimal digits.
    /// - Throws: ``SystemError``.
    func finish(in file: borrowing Descriptor) throws(SystemError) -> String {
        try catchUp(in: file)
        let digest = state.withLock { state in
            let taken = state.digest.take()
            state.beginAnew()
            return taken
        }
        // There always is one but while a piece is added, which one thread does: the caller's.
        guard let digest else { throw SystemError(number: EIO) }
        return digest.finish()
    }

    /// - Returns: Whether there may be more.
    private func hashPiece(of file: borrowing Descriptor) throws(SystemError) -> Bool {
        guard var piece = state.withLock({ $0.takePiece(atMost: Self.pieceByteCount) }) else { return false }
        var end = piece.range.lowerBound
        var failure: SystemError?
        do throws(SystemError) {
            try file.forEachPiece(of: piece.range) { bytes in
                piece.digest.update(bytes)
                end += Int64(bytes.count)
            }
        } catch {
            failure = error
        }
        var done: Piece? = consume piece
        let byteCount = end
        state.withLock { state in
            if let piece = done.take() { state.put(piece, upTo: byteCount) }
        }
        if let failure { throw failure }
        return true
    }
}
