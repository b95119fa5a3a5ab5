/// What a sync or an import did.
package struct SyncSummary: Sendable, Equatable {
    package var added = 0
    package var updated = 0
    package var removed = 0
    package var unchanged = 0

    /// The records passed over, in document order; of very many, the first ``maximumReportedCount``.
    package var skipped: [SkippedRecord] = []

    /// How many records were passed over in all.
    package var skippedCount = 0

    /// Whether the source said that nothing had changed since the last time.
    package var isNotModified = false

    /// How many records passed over are reported one by one.
    ///
    /// A hostile document may have millions of them.
    package static var maximumReportedCount: Int { 10_000 }

    package init() {}
}
