internal import Digest
internal import Glibc
internal import Shelf

/// A file that content arrives in, from its first byte to its last.
///
/// Its name is removed with its owner, unless it was committed.
struct StageFile: ~Copyable {
    private let directory: CacheDirectory
    private let name: String
    private let descriptor: Descriptor
    private var digest = IncrementalDigest(.sha256)

    /// How many bytes are in it.
    private(set) var byteCount: Int64 = 0

    /// - Parameters:
    ///   - directory: Of the cache.
    ///   - attempt: A number that no other stage of this process has.
    /// - Throws: ``ContentError/noRoom(reason:)`` or ``ContentError/broken(reason:)``.
    init(in directory: CacheDirectory, attempt: UInt64) throws(ContentError) {
        self.directory = directory
        name = "\(getpid())-\(attempt)"
        do throws(SystemError) {
            descriptor = try directory.openStage(name)
        } catch {
            throw ContentError(error, "can't stage a book in \(directory.path)")
        }
    }

    deinit {
        // After a commit the name leads nowhere.
        directory.removeStage(name)
    }

    /// Adds the next bytes.
    ///
    /// - Throws: ``ContentError/noRoom(reason:)`` or ``ContentError/broken(reason:)``; the stage is of no use then.
    mutating func append(_ bytes: Span<UInt8>) throws(ContentError) {
        do throws(SystemError) {
            try descriptor.write(bytes, at: byteCount)
        } catch {
            throw ContentError(error, "can't write to the cache")
        }
        digest.update(bytes)
        byteCount += Int64(bytes.count)
    }

    /// Opens the file once more, for readers: they can't write to it, and keep it whatever becomes of its name.
    ///
    /// - Throws: ``ContentError/broken(reason:)``.
    borrowing func openForReading() throws(ContentError) -> Descriptor {
        do throws(SystemError) {
            return try Descriptor(openingForReading: "\(directory.stagePath)/\(name)")
        } catch {
            throw ContentError(error, "can't read from the cache")
        }
    }

    /// Checks the content, and makes it and its record safe on the disk, still under their temporary names.
    ///
    /// Waits for the disk.
    ///
    /// - Parameters:
    ///   - version: Whose content it is.
    ///   - etag: As the source wrote it.
    /// - Returns: The file, open for reading.
    /// - Throws: ``ContentError/broken(reason:)`` if the hash is another than the version's,
    ///   ``ContentError/noRoom(reason:)``.
    mutating func seal(for version: ContentVersion, etag: String?) throws(ContentError) -> CachedFile {
        let sha256 = finishDigest()
        if let expected = version.sha256, expected != sha256 {
            throw version.isSuperseded
                ? .superseded : .broken(reason: "the bytes that came have another SHA-256 than the catalog says")
        }
        do throws(SystemError) {
            try descriptor.synchronise()
            guard let stamp = FileStamp(descriptor: descriptor.number), stamp.byteCount == byteCount else {
                throw SystemError(number: EIO)
            }
            let record = ContentRecord(
                byteCount: byteCount, modifiedAt: stamp.modifiedAt, sha256: sha256, etag: etag)
            try directory.writeStagedRecord(record, name)
            return CachedFile(
                try Descriptor(openingForReading: "\(directory.stagePath)/\(name)"), stamp, sha256: sha256)
        } catch {
            throw ContentError(error, "can't keep a book in the cache")
        }
    }

    /// Makes a sealed content visible as that of a version.
    ///
    /// - Throws: ``ContentError/noRoom(reason:)`` or ``ContentError/broken(reason:)``; it isn't visible then.
    borrowing func publish(as version: VersionID) throws(ContentError) {
        do throws(SystemError) {
            try directory.publish(name, as: version)
        } catch {
            throw ContentError(error, "can't keep a book in the cache")
        }
    }

    private mutating func finishDigest() -> String {
        var finished = IncrementalDigest(.sha256)
        swap(&finished, &digest)
        return finished.finish()
    }
}

extension ContentError {
    /// What a failed call of the system means to a reader.
    init(_ error: SystemError, _ what: String) {
        let reason = "\(what): \(error.words)"
        self = error.isForLackOfRoom ? .noRoom(reason: reason) : .broken(reason: reason)
    }
}
