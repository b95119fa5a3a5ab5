package import JSON
package import Shelf

/// What a sync or an import did to the books of one source.
package struct SyncReport: Hashable, Sendable {
    package let source: String
    package let added: Int
    package let updated: Int
    package let removed: Int
    package let unchanged: Int
    package let skipped: [SkippedRecord]

    /// How many there are in all, of which ``skipped`` has the first.
    package let skippedCount: Int
    package let isNotModified: Bool

    /// Why it failed, or `nil`.
    package let error: String?

    /// What was done; of a source that failed, nothing was.
    package init(source: String, result: Result<SyncSummary, SourceError>) {
        self.source = source
        let summary = (try? result.get()) ?? SyncSummary()
        added = summary.added
        updated = summary.updated
        removed = summary.removed
        unchanged = summary.unchanged
        skipped = summary.skipped
        skippedCount = summary.skippedCount
        isNotModified = summary.isNotModified
        if case .failure(let failure) = result { error = failure.reason } else { error = nil }
    }

    /// The reports of several sources, as `sync` and `import` print them.
    package static func json(_ reports: [SyncReport]) -> JSONValue {
        ["sources": .array(reports.map(\.json))]
    }

    private var json: JSONValue {
        [
            "name": .string(source),
            "added": JSONValue(added),
            "updated": JSONValue(updated),
            "removed": JSONValue(removed),
            "unchanged": JSONValue(unchanged),
            "skipped": .array(
                skipped.map { ["record": JSONValue($0.number), "reason": .string($0.reason)] }),
            "notModified": .boolean(isNotModified),
            "error": JSONValue(error),
        ]
    }
}
