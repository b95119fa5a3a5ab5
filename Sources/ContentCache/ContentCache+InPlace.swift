internal import Glibc
internal import Shelf
internal import Synchronization

/// Content that is served where it lies.
///
/// Opening a file may mean to read the whole, for its hash, so it is done on a thread of its own; after that a read costs one
/// look at the file's name.
extension ContentCache {
    /// What serving in place takes; there is none where nothing is served so.
    final class InPlace: Sendable {
        let files = InPlaceFiles()
        let thread = DiskThread(name: "in-place")
        let isClosed = Atomic<Bool>(false)

        func shutDown(atMost limit: Duration) -> Bool {
            isClosed.store(true, ordering: .relaxed)
            return thread.stop(atMost: limit)
        }
    }

    /// The file of a content that is served in place, if it was opened and is as it was then.
    func openInPlace(_ version: ContentVersion, _ inPlace: InPlace) -> CachedFile? {
        guard !unverified.isSpoiled(version.id) else { return nil }
        switch inPlace.files.standing(of: version) {
        case .intact(let file): return file
        case .refused, .unknown: return nil
        case .changed:
            inPlace.files.forget(version.id)
            if client.isOpen(version.id) {
                // What was given out of it was of the former file; pages that the kernel has go, so that the next read learns it.
                unverified.condemn(version.id)
                commits.run { [client] in client.dropPages(of: version.id) }
            }
            return nil
        }
    }

    /// Answers someone who wants a content that is served in place.
    ///
    /// - Parameters:
    ///   - version: As the catalog has it now.
    ///   - path: Of its file.
    ///   - inPlace: What serves it.
    ///   - deadline: How long to wait; `nil` for as long as it takes.
    ///   - completion: Called exactly once, with nothing held.
    /// - Returns: A handle by which the caller can stop waiting.
    func readInPlace(
        _ version: ContentVersion, at path: String, _ inPlace: InPlace, deadline: Duration?,
        completion: @escaping Completion
    ) -> PendingRead {
        if case .refused(let error) = inPlace.files.standing(of: version) {
            completion(.failure(error))
            return PendingRead(cancelling: nil)
        }
        let box = Once(completion)
        let id = nextID()
        if let deadline {
            deadlines.set(id, after: deadline) {
                box.answer(.failure(.timedOut(reason: "the disk did not deliver within \(deadline)")))
            }
        }
        let isTaken = inPlace.thread.run { [self] in
            box.answer(lookInPlace(version, at: path, inPlace))
            deadlines.clear(id)
        }
        if !isTaken { box.answer(.failure(.interrupted)) }
        return PendingRead { box.answer(.failure(.interrupted)) }
    }

    private func lookInPlace(
        _ version: ContentVersion, at path: String, _ inPlace: InPlace
    ) -> Result<CachedFile, ContentError> {
        // Somebody in front may have opened it, or found that it can't be.
        if let file = openInPlace(version, inPlace) { return .success(file) }
        if unverified.isSpoiled(version.id) { return .failure(Flight.spoiledError) }
        if case .refused(let error) = inPlace.files.standing(of: version) { return .failure(error) }
        do throws(ContentError) {
            let file = try inPlace.files.open(version, at: path) { byteCount in
                let correction = client.correctSize(of: version, to: byteCount, etag: nil)
                // Behind what answers those who wait, on the same thread.
                if case .madeForOthers(let action) = correction { inPlace.thread.run(action) }
                return correction
            } goesOn: {
                !inPlace.isClosed.load(ordering: .relaxed)
            }
            journal.noteGood(version)
            return .success(file)
        } catch {
            journal.note(error, of: version)
            return .failure(error)
        }
    }

    /// Compares a file that is served in place with the hash that the catalog has of it, or else with the size.
    func examineInPlace(
        _ version: ContentVersion, at path: String, _ inPlace: InPlace, goesOn: (_ byteCount: Int64) -> Bool
    ) -> Finding {
        do throws(ContentError) {
            let found = try FoundFile(at: path)
            if let expected = version.sha256 {
                guard try found.sha256(goesOn) == expected else {
                    throw .broken(reason: "\(path) has another SHA-256 than the catalog says")
                }
            } else if version.isByteCountBinding, found.stamp.byteCount != version.byteCount {
                throw .broken(reason: "\(path) has another size than the catalog says")
            }
            return .sound
        } catch .interrupted {
            return .abandoned
        } catch {
            inPlace.files.forget(version.id)
            inPlace.files.refuse(version, path, FileStamp(following: path), error)
            if client.isOpen(version.id) { unverified.condemn(version.id) }
            client.dropPages(of: version.id)
            return .damaged(reason: error.reason)
        }
    }
}

/// Someone who is answered once, by whoever comes first.
private final class Once: Sendable {
    private let completion: Mutex<ContentCache.Completion?>

    init(_ completion: @escaping ContentCache.Completion) {
        self.completion = Mutex(completion)
    }

    func answer(_ outcome: Result<CachedFile, ContentError>) {
        completion.withLock { $0.take() }?(outcome)
    }
}
