/// Counts by number that processes share, and that survive the death of any of them.
///
/// A count and its number are one word, so that whoever is killed leaves each count as it was before or after his
/// step, never between. The words of a number are all in one bucket, which is looked through as a whole: a word whose count
/// reaches zero is free again for any number, and nothing depends on order.
///
/// A process that counts up before it says so, and counts down only after, leaves at worst a count too high.
///
/// Invariant: a word is 0, or a number with a count of at least 1. Two words may have the same number, when two threads
/// counted it first at one time: then both together are the count.
package final class SharedCounts: Sendable {
    /// Numbers have 44 bits, counts 20.
    package static let largestKey: UInt64 = 1 << 44 - 1

    /// How many numbers there is room for; a third of it can be relied upon.
    package static let capacity = 65_536

    /// For ``SharedRegion/init(wordCount:)``.
    package static let wordCount = capacity

    private static let buckets = Buckets(capacity: capacity, size: 64)
    private static let largestCount: UInt64 = 1 << 20 - 1

    private let region: SharedRegion

    /// - Parameter region: Of ``wordCount`` words, zeros or what another process counts in.
    package init(in region: SharedRegion) {
        precondition(region.wordCount == Self.wordCount, "memory of another size")
        self.region = region
    }

    /// Counts up by one.
    ///
    /// - Returns: The new count; an instant later it may be another.
    /// - Throws: ``SharedMemoryError/full``, ``SharedMemoryError/keyOutOfRange(_:)``; nothing is counted then.
    @discardableResult
    package func increment(_ key: UInt64) throws(SharedMemoryError) -> Int {
        guard key > 0, key <= Self.largestKey else { throw .keyOutOfRange(key) }
        while true {
            guard let index = place(of: key) else { throw .full }
            let word = region.load(index)
            let isFree = word == 0
            guard isFree || (Self.key(of: word) == key && Self.count(of: word) < Self.largestCount) else { continue }
            let new = isFree ? key << 20 | 1 : word + 1
            if region.compareExchange(index, expected: word, desired: new).exchanged { return count(of: key) }
        }
    }

    /// Counts down by one; a number that isn't counted stays at zero.
    ///
    /// - Returns: The new count; an instant later it may be another. Of several that count down at the same time, more than
    ///   one may be told 0.
    @discardableResult
    package func decrement(_ key: UInt64) -> Int {
        guard key > 0, key <= Self.largestKey else { return 0 }
        while let index = bucket(of: key).first(where: { Self.key(of: region.load($0)) == key }) {
            let word = region.load(index)
            guard Self.key(of: word) == key else { continue }
            let new = Self.count(of: word) == 1 ? 0 : word - 1
            if region.compareExchange(index, expected: word, desired: new).exchanged { break }
        }
        return count(of: key)
    }

    /// The count of a number; 0 for one that isn't counted.
    package func count(of key: UInt64) -> Int {
        guard key > 0, key <= Self.largestKey else { return 0 }
        return bucket(of: key).reduce(0) { sum, index in
            let word = region.load(index)
            return Self.key(of: word) == key ? sum + Int(Self.count(of: word)) : sum
        }
    }

    /// Calls with every number that is counted, in no order.
    ///
    /// A number may come twice, with a part of its count each time; what changes meanwhile may be missed.
    package func forEach(_ body: (_ key: UInt64, _ count: Int) -> Void) {
        for index in 0..<Self.capacity {
            let word = region.load(index)
            if word != 0 { body(Self.key(of: word), Int(Self.count(of: word))) }
        }
    }

    /// A word that has the number and room for one more, or a free one.
    private func place(of key: UInt64) -> Int? {
        var free: Int?
        for index in bucket(of: key) {
            let word = region.load(index)
            if word == 0 {
                if free == nil { free = index }
            } else if Self.key(of: word) == key, Self.count(of: word) < Self.largestCount {
                return index
            }
        }
        return free
    }

    private func bucket(of key: UInt64) -> Range<Int> { Self.buckets.entries(for: key) }

    private static func key(of word: UInt64) -> UInt64 { word >> 20 }

    private static func count(of word: UInt64) -> UInt64 { word & largestCount }
}
