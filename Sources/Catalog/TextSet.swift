internal import TextForms

/// Texts that have been seen, as hashes of 64 bits: a million of them in 16 MB, where an index would cost a search each.
///
/// A text that was seen is never taken for a new one. That a new one is taken for one that was seen, because their hashes
/// are equal, happens once in ten million sets of a million texts: whoever asks must be content with that.
struct TextSet {
    /// A hash stands at its place or in the next free one; 0 stands for none.
    ///
    /// Invariant: a power of two of them, at least a third of them free.
    private var hashes = [UInt64](repeating: 0, count: 1 << 12)
    private(set) var count = 0

    /// Adds a text.
    ///
    /// - Parameters:
    ///   - text: Compared byte for byte.
    ///   - group: Texts of different groups are different.
    /// - Returns: Whether it wasn't there.
    mutating func insert(_ text: String, in group: Int64 = 0) -> Bool {
        if count * 3 >= hashes.count * 2 { grow() }
        let isNew = insert(Self.hash(text, group))
        if isNew { count += 1 }
        return isNew
    }

    /// Whether a text is there.
    func contains(_ text: String, in group: Int64 = 0) -> Bool {
        let hash = Self.hash(text, group)
        return hashes[place(of: hash)] == hash
    }

    private mutating func insert(_ hash: UInt64) -> Bool {
        let place = place(of: hash)
        if hashes[place] == hash { return false }
        hashes[place] = hash
        return true
    }

    /// Where a hash stands, or would.
    private func place(of hash: UInt64) -> Int {
        let mask = hashes.count - 1
        var place = Int(truncatingIfNeeded: hash >> 32) & mask
        while hashes[place] != 0, hashes[place] != hash { place = (place + 1) & mask }
        return place
    }

    private mutating func grow() {
        let former = hashes
        hashes = [UInt64](repeating: 0, count: former.count * 2)
        for hash in former where hash != 0 { _ = insert(hash) }
    }

    private static func hash(_ text: String, _ group: Int64) -> UInt64 {
        var hash = TextHash(seed: UInt64(bitPattern: group))
        hash.add(text)
        // 0 stands for none.
        return max(hash.value, 1)
    }
}
