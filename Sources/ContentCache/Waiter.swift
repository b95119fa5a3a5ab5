internal import Shelf

/// Someone who waits for content.
struct Waiter {
    /// Given at admission.
    var id: UInt64 = 0

    /// How much was staged when it came, in bytes; given at admission.
    var formerStagedByteCount: Int64 = 0

    /// What must be there, in bytes; `nil` for the whole, verified.
    let range: Range<Int64>?
    let completion: ContentCache.Completion
    let progress: (@Sendable (Int64, Int64) -> Void)?

    /// Whether it is a read, of which only so many may wait.
    var isReader: Bool { range != nil }

    /// Where what is waited for begins, in bytes.
    var offset: Int64 { range?.lowerBound ?? 0 }

    init(reading range: Range<Int64>, _ completion: @escaping ContentCache.Completion) {
        // Nothing is asked for at least one byte, so that the end of a content isn't told before it is known to be right.
        self.range = range.lowerBound..<max(range.lowerBound + 1, range.upperBound)
        self.completion = completion
        progress = nil
    }

    init(
        fetching completion: @escaping ContentCache.Completion, _ progress: @escaping @Sendable (Int64, Int64) -> Void
    ) {
        range = nil
        self.completion = completion
        self.progress = progress
    }
}
