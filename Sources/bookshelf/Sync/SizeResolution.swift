internal import Catalog
internal import HTTP
internal import Shelf
internal import Threads

/// Asks sources for the sizes that no catalog has stated, politely and for a bounded time.
struct SizeResolution {
    let loop: TransferLoop
    let samples: SamplePolicy
    let credentials: SourceCredentials

    /// How long a command waits for it; what is still unknown then is asked at the next sync.
    static var limit: Duration { .seconds(30) }

    /// How many versions are asked for at a time.
    private static var batchCount: Int { 500 }

    private struct Progress {
        var pendingCount = 0
        var sizes: [(version: VersionID, size: SizeQuestion.Size)] = []
    }

    /// Asks for each version without a size, until each was asked for once or the time is over.
    ///
    /// - Returns: How many sizes became known.
    /// - Throws: ``CatalogError``.
    func run(writer: borrowing CatalogWriter) throws(CatalogError) -> Int {
        let clock = ContinuousClock()
        let deadline = clock.now + Self.limit
        var knownCount = 0
        var last: VersionID?
        while clock.now < deadline {
            // Behind those of the last batch: some of them may have no size to be had.
            let versions = try writer.unsizedVersions(after: last, limit: Self.batchCount)
            guard !versions.isEmpty else { break }
            last = versions.last?.id
            knownCount += try resolve(versions, until: deadline, writer: writer)
        }
        return knownCount
    }

    private func resolve(
        _ versions: [ContentVersion], until deadline: ContinuousClock.Instant, writer: borrowing CatalogWriter
    ) throws(CatalogError) -> Int {
        let progress = Monitor(Progress(pendingCount: versions.count))
        let questions = versions.map { version in
            SizeQuestion(version, on: loop, credentials: credentials) { size in
                progress.update { progress in
                    progress.pendingCount -= 1
                    if let size { progress.sizes.append((version.id, size)) }
                }
            }
        }
        for question in questions { question.ask() }
        _ = progress.wait(atMost: max(.zero, deadline - ContinuousClock().now)) { $0.pendingCount == 0 ? true : nil }
        for question in questions { question.cancel() }
        let sizes = progress.update { $0.sizes }
        for (version, size) in sizes {
            try writer.confirm(
                byteCount: size.byteCount, of: version, etag: size.etag, samples: samples, now: Now.nanoseconds)
        }
        return sizes.count
    }
}
