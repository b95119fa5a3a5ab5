internal import Shelf
internal import Threads

/// Brings the records of a document from the thread that reads it to the one that writes them to the catalog.
///
/// Reading and writing take about as long; so they take turns on one processor, and go on at once on two.
///
/// Invariant: at most ``maximumWaitingCount`` batches wait, so memory stays flat whichever side is slower.
final class RecordPipe: Sendable {
    private struct State {
        var waiting: [[SourceRecord]] = []
        var ending: Result<Void, SourceError>?
        var isAbandoned = false
    }

    private static var maximumWaitingCount: Int { 4 }
    private static var batchCount: Int { 256 }
    private static var batchByteCount: Int { 1 << 20 }

    private let state = Monitor(State())

    /// Runs `read` on a thread of its own, and hands what it delivers to `deliver` on this one, in the same order.
    ///
    /// - Parameters:
    ///   - read: Calls the closure that it is given once a record. What it throws is thrown here, behind its records.
    ///   - deliver: Takes the records; when it throws, `read` is stopped.
    /// - Throws: What either throws.
    static func run(
        _ read: @escaping @Sendable (_ deliver: (SourceRecord) throws(SourceError) -> Void) throws(SourceError) -> Void,
        deliver: (SourceRecord) throws(SourceError) -> Void
    ) throws(SourceError) {
        let pipe = RecordPipe()
        let reading = WorkerThread(name: "reading") { pipe.fill(by: read) }
        let outcome: Result<Void, SourceError>
        do throws(SourceError) {
            outcome = try pipe.empty(into: deliver)
        } catch {
            pipe.state.update { $0.isAbandoned = true }
            outcome = .failure(error)
        }
        reading.join()
        try outcome.get()
    }

    /// The reading side.
    private func fill(
        by read: (_ deliver: (SourceRecord) throws(SourceError) -> Void) throws(SourceError) -> Void
    ) {
        var batch: [SourceRecord] = []
        var byteCount = 0
        var ending: Result<Void, SourceError> = .success(())
        do throws(SourceError) {
            try read { (record) throws(SourceError) in
                batch.append(record)
                byteCount += record.approximateByteCount
                guard batch.count >= Self.batchCount || byteCount >= Self.batchByteCount else { return }
                try put(batch)
                batch = []
                byteCount = 0
            }
        } catch {
            ending = .failure(error)
        }
        try? put(batch)
        state.update { $0.ending = ending }
    }

    private func put(_ batch: [SourceRecord]) throws(SourceError) {
        let isTaken = state.wait(atMost: nil) { state in
            state.isAbandoned ? false : state.waiting.count < Self.maximumWaitingCount ? true : nil
        }
        guard isTaken == true else { throw .refused(reason: "nobody takes the records any more") }
        state.update { $0.waiting.append(batch) }
    }

    /// The writing side.
    ///
    /// - Returns: How the reading ended.
    /// - Throws: What `deliver` throws.
    private func empty(
        into deliver: (SourceRecord) throws(SourceError) -> Void
    ) throws(SourceError) -> Result<Void, SourceError> {
        while true {
            let next = state.wait(atMost: nil) { state -> Next? in
                if !state.waiting.isEmpty { return .batch(state.waiting[0]) }
                return state.ending.map(Next.ending)
            }
            switch next {
            case .batch(let batch):
                for record in batch { try deliver(record) }
                // Only now, so that no more of them are in memory than may wait.
                state.update { _ = $0.waiting.removeFirst() }
            case .ending(let ending): return ending
            case nil: return .success(())
            }
        }
    }

    private enum Next: Sendable {
        case batch([SourceRecord])
        case ending(Result<Void, SourceError>)
    }
}

extension SourceRecord {
    /// About how much memory it takes, by what may be long in it.
    fileprivate var approximateByteCount: Int {
        guard case .book(let book, _) = self else { return 256 }
        return 256 + book.title.utf8.count + (book.description?.utf8.count ?? 0)
            + book.contents.reduce(0) { $0 + $1.utf8.count }
            + (book.authors.count + book.categories.count) * 64
    }
}
