/// Where in a table of shared memory an entry may stand: in one bucket, by its key, which is looked through as a whole.
///
/// Nothing depends on the order in a bucket, so that whoever is killed in between leaves a table that is right.
package struct Buckets: Sendable {
    private let count: Int
    private let size: Int

    /// - Parameters:
    ///   - capacity: How many entries there are, a multiple of `size`.
    ///   - size: How many of them make a bucket.
    package init(capacity: Int, size: Int) {
        count = capacity / size
        self.size = size
    }

    /// The numbers of the entries of a key's bucket; neighbouring keys are spread over all buckets.
    package func entries(for key: UInt64) -> Range<Int> {
        let hash = key &* 0x9E37_79B9_7F4A_7C15
        let start = Int((hash >> 32) % UInt64(count)) * size
        return start..<start + size
    }
}
