/// Why memory couldn't be shared.
package enum SharedMemoryError: Error, Hashable, Sendable {
    /// A call of the system failed.
    case callFailed(name: String, errno: CInt)

    /// The descriptor isn't of memory that ``SharedRegion`` made, or of another size.
    case notARegion(descriptor: CInt)

    /// There is no place for another number.
    case full

    /// The number is 0 or doesn't fit; see ``SharedCounts/largestKey``.
    case keyOutOfRange(UInt64)
}
