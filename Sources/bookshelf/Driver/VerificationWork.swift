internal import Catalog
internal import ContentCache
internal import Control
internal import JSON
internal import Shelf

/// Comparing what is on disk with what it should be, as the driver does it for a command, or the command for itself.
struct VerificationWork {
    let work: ContentWork

    /// How much is read between two words to the command, in bytes.
    private static var reportByteCount: Int64 { 16 << 20 }

    /// A content that was damaged.
    private struct Damage {
        let book: BookID
        let path: String?
        let reason: String
        var failure: String?

        var json: JSONValue {
            [
                "id": .integer(book.rawValue), "path": JSONValue(path), "reason": .string(reason),
                "failure": JSONValue(failure),
            ]
        }
    }

    private struct Result {
        var checkedCount = 0
        var damages: [Damage] = []
        var repairedCount = 0

        /// Of the catalog, not of this look: what it doesn't know.
        var unknownCount = 0
        var failure: String?

        var json: JSONValue {
            [
                "checked": JSONValue(checkedCount), "damaged": .array(damages.map(\.json)),
                "repaired": JSONValue(repairedCount), "unknown": JSONValue(unknownCount), "failure": JSONValue(failure),
            ]
        }
    }

    /// Verifies content, takes what is damaged out of the cache, and fetches it again if it is told to.
    ///
    /// - Parameters:
    ///   - books: Whose content; `nil` for all that is on disk, whoever it belongs to.
    ///   - isRepairing: Whether what was damaged is fetched again.
    ///   - progress: Told how far it is.
    ///   - isAbandoned: Whether nobody waits for the answer any more.
    /// - Returns: As ``VerificationReport`` reads it.
    func run(
        _ books: [BookID]?, isRepairing: Bool, progress: (ControlProgress) -> Void, isAbandoned: () -> Bool
    ) -> JSONValue {
        var result = Result()
        do throws(CatalogError) {
            var queries = try CatalogQueries(path: work.path)
            var ids: [VersionID] = []
            if let books {
                for book in books {
                    if let version = try queries.book(book)?.version { ids.append(version) }
                }
            } else {
                ids = work.cache.storedVersions()
                ids += try inPlace(&queries, besides: Set(ids))
            }
            try verify(ids, &queries, &result, progress, isAbandoned)
        } catch {
            result.failure = error.reason
        }
        if isRepairing, !isAbandoned() { repair(&result, progress, isAbandoned) }
        return result.json
    }

    /// The content that is served where it lies.
    private func inPlace(
        _ queries: inout CatalogQueries, besides known: Set<VersionID>
    ) throws(CatalogError) -> [VersionID] {
        let policy = work.cache.inPlacePolicy
        guard policy.isUsed else { return [] }
        var found: [VersionID] = []
        try queries.forEachBook { book in
            guard let version = book.version, !known.contains(version), let url = book.contentURL,
                policy.path(ofURL: url, source: book.source) != nil
            else { return }
            found.append(version)
        }
        return found
    }

    private func verify(
        _ ids: [VersionID], _ queries: inout CatalogQueries, _ result: inout Result,
        _ progress: (ControlProgress) -> Void, _ isAbandoned: () -> Bool
    ) throws(CatalogError) {
        var report = ControlProgress()
        report.totalCount = ids.count
        var unknown: [VersionID] = []
        for id in ids where !isAbandoned() {
            if let version = try queries.content(id) {
                report.subject = version.title
                var unreported: Int64 = 0
                let finding = work.cache.verify(id, as: version) { byteCount in
                    report.doneByteCount += byteCount
                    unreported += byteCount
                    if unreported >= Self.reportByteCount {
                        unreported = 0
                        progress(report)
                    }
                    return !isAbandoned()
                }
                switch finding {
                case .sound: result.checkedCount += 1
                case .damaged(let reason):
                    result.checkedCount += 1
                    let path = version.isSuperseded ? nil : try queries.book(version.book)?.paths.first
                    result.damages.append(Damage(book: version.book, path: path, reason: reason))
                case .absent, .abandoned: break
                }
            } else {
                unknown.append(id)
            }
            report.doneCount += 1
            progress(report)
        }
        // A page that can't be read may hold what knows them.
        guard !unknown.isEmpty, try queries.isSound() else { return }
        for id in unknown { work.cache.remove(id) }
        result.unknownCount = unknown.count
    }

    private func repair(
        _ result: inout Result, _ progress: (ControlProgress) -> Void, _ isAbandoned: () -> Bool
    ) {
        let books = Set(result.damages.map(\.book)).sorted()
        guard !books.isEmpty else { return }
        let outcome = ContentWork.Outcome(work.fetch(books, progress: progress, isAbandoned: isAbandoned))
        let failures = Dictionary(outcome.failed.map { ($0.book, $0.reason) }, uniquingKeysWith: { first, _ in first })
        let isComplete = outcome.doneCount + outcome.skippedCount + outcome.failed.count == books.count
        for index in result.damages.indices {
            result.damages[index].failure = failures[result.damages[index].book]
            if isComplete, result.damages[index].failure == nil { result.repairedCount += 1 }
        }
    }
}
