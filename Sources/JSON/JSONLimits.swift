/// What a document may ask of the memory of its reader.
package struct JSONLimits: Hashable, Sendable {
    /// How many arrays and objects may stand in each other.
    package var depth: Int

    /// How long a single string or number, or the space between two values, may be, in bytes as written.
    package var valueByteCount: Int

    package init(depth: Int = 64, valueByteCount: Int = 16 << 20) {
        self.depth = depth
        self.valueByteCount = valueByteCount
    }
}
