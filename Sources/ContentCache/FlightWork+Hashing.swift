/// How the hash of what comes is made while it comes.
extension FlightWork {
    /// Whether so much came since it was last asked that hashing it should begin.
    mutating func isHashingDue() -> Bool {
        let end = arrived.end(from: 0)
        guard end - hashedEnd >= Self.hashedByteCount else { return false }
        hashedEnd = end
        return true
    }

    /// The hash of what has come.
    ///
    /// - Returns: `nil` if there is nothing, or it can't be read now: at the end it is looked at again.
    mutating func hashing() -> StageFile.Hashing? {
        try? stage?.openForHashing()
    }

    private static var hashedByteCount: Int64 { 4 << 20 }
}
