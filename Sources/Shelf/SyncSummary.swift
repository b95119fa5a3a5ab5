/// What a sync or an import did.
package struct SyncSummary: Sendable, Equatable {
    package var added = 0
    package var updated = 0
    package var removed = 0
    package var unchanged = 0
    package var skipped: [SkippedRecord] = []

    /// Whether the source said that nothing had changed since the last time.
    package var isNotModified = false

    package init() {}
}
