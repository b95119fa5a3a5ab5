package import Shelf
internal import Synchronization

/// The contents that turned out shorter than the kernel had been told, while reads were on their way.
///
/// The kernel takes an answer that ends early for the end of the file, unless it was told anything about the file's size since it
/// asked; then it would fill the rest with zeros. So whatever reaches the end is refused once: what the kernel read ahead it
/// asks for again, and that question was put after it had been told to forget the size.
///
/// Lock order: `state` is a leaf.
package final class ShrunkSizes: Sendable {
    private struct State {
        /// By content, the ranges that were refused.
        var refused: [VersionID: [Range<Int64>]] = [:]

        /// Those of which the kernel was told already.
        var told: Set<VersionID> = []
    }

    private let state = Mutex(State())

    /// More contents than that don't shrink while somebody reads them; the oldest questions were answered long ago.
    private static var maximumCount: Int { 4_096 }

    package init() {}

    /// Notes a content, before the kernel is told to forget its size.
    package func note(_ version: VersionID) {
        state.withLock { state in
            if state.refused.count >= Self.maximumCount { state = State() }
            state.refused[version] = []
            state.told.insert(version)
        }
    }

    /// Whether the kernel need not be told again that the attributes of a content have changed; once for each ``note(_:)``.
    package func takeTold(_ version: VersionID) -> Bool {
        state.withLock { $0.told.remove(version) != nil }
    }

    /// Whether a read must be asked for again.
    ///
    /// - Parameters:
    ///   - version: What is read.
    ///   - range: What the kernel asks for, in bytes.
    ///   - byteCount: Of the content.
    /// - Returns: True for the first question of its kind.
    func refuses(_ version: VersionID, _ range: Range<Int64>, of byteCount: Int64) -> Bool {
        guard range.upperBound > byteCount else { return false }
        return state.withLock { state in
            guard let refused = state.refused[version] else { return false }
            if refused.contains(where: { $0.contains(range.lowerBound) }) { return false }
            state.refused[version]?.append(range)
            return true
        }
    }
}
