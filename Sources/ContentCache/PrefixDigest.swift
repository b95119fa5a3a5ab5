internal import Digest
internal import Synchronization

/// The SHA-256 of a content that arrives, as far as it has come without a gap.
///
/// It is made from what is in the file, some way behind those who write to it and on another thread: they have enough to do.
///
/// Lock order: `state` is taken last, for a piece at a time.
final class PrefixDigest: Sendable {
    private struct State: ~Copyable {
        var digest = IncrementalDigest(.sha256)

        /// How many bytes from the start are in it.
        var byteCount: Int64 = 0

        /// Up to where the file has what will be there, in bytes from the start.
        var limit: Int64 = 0

        /// Begins anew, and gives away what was made.
        mutating func takeDigest() -> IncrementalDigest {
            var taken = IncrementalDigest(.sha256)
            swap(&taken, &digest)
            byteCount = 0
            return taken
        }
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
            if state.byteCount > offset { _ = state.takeDigest() }
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
        let digest = state.withLock { $0.takeDigest() }
        return digest.finish()
    }

    /// - Returns: Whether there may be more.
    private func hashPiece(of file: borrowing Descriptor) throws(SystemError) -> Bool {
        var failure: SystemError?
        let mayBeMore = state.withLock { state in
            let end = min(state.limit, state.byteCount + Self.pieceByteCount)
            guard state.byteCount < end else { return false }
            do throws(SystemError) {
                try file.forEachPiece(of: state.byteCount..<end) { piece in
                    state.digest.update(piece)
                    state.byteCount += Int64(piece.count)
                }
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        return mayBeMore
    }
}
