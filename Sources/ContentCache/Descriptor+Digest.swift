internal import Digest

extension Descriptor {
    /// The SHA-256 of a range.
    ///
    /// - Parameters:
    ///   - range: In bytes.
    ///   - goesOn: Told how many bytes were read since the last call, about a megabyte; returns whether to go on.
    /// - Returns: 64 lower-case hexadecimal digits; `nil` if it wasn't to go on.
    /// - Throws: What pread(2) gives; EIO if the file ends before the range.
    borrowing func sha256(
        of range: Range<Int64>, goesOn: (_ byteCount: Int64) -> Bool = { _ in true }
    ) throws(SystemError) -> String? {
        var digest = IncrementalDigest(.sha256)
        var position = range.lowerBound
        while position < range.upperBound {
            let end = min(position + 1 << 20, range.upperBound)
            try forEachPiece(of: position..<end) { digest.update($0) }
            guard goesOn(end - position) else { return nil }
            position = end
        }
        return digest.finish()
    }
}
