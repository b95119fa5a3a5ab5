internal import Glibc
internal import Shelf

/// A file that content arrives in, in any order, from its first byte to its last.
///
/// What has arrived is never written again, so that whoever has read it has read what will be there. Its name is removed with
/// its owner, unless it was committed or is to be taken up again.
struct StageFile: ~Copyable {
    private let directory: CacheDirectory
    private let name: String

    /// Whether it is in memory, where it has no name.
    let isInMemory: Bool
    private let descriptor: Descriptor

    /// Of what has come.
    private let digest = PrefixDigest()

    /// What is in it.
    private(set) var arrived = ByteRanges()

    /// Whether it stays on disk when its owner goes.
    var isKept = false

    /// Of the whole, once that was checked.
    private var sha256: String?

    /// Begins an empty one; an older one of that name goes.
    ///
    /// - Parameters:
    ///   - name: Of the file in the directory of stages.
    ///   - directory: Of the cache.
    /// - Throws: ``ContentError/noRoom(reason:)`` or ``ContentError/broken(reason:)``.
    init(named name: String, in directory: CacheDirectory) throws(ContentError) {
        self.directory = directory
        self.name = name
        isInMemory = false
        do throws(SystemError) {
            directory.removeStage(name)
            descriptor = try directory.openStage(name)
        } catch {
            throw ContentError(error, "can't stage a book in \(directory.path)")
        }
    }

    /// Takes up what an earlier flight has left; every block of it is read and compared with its hash.
    ///
    /// - Parameters:
    ///   - name: Of the file in the directory of stages.
    ///   - record: What was known of it.
    ///   - directory: Of the cache.
    ///
    /// It is `nil` if there is nothing that can be used.
    init?(takingUp name: String, _ record: StageRecord, in directory: CacheDirectory) {
        guard let file = try? directory.reopenStage(name) else { return nil }
        let verified = record.verified(in: file)
        guard !verified.isEmpty else { return nil }
        self.directory = directory
        self.name = name
        isInMemory = false
        descriptor = file
        arrived = verified
        digest.noteArrival(upTo: arrived.end(from: 0))
    }

    /// Takes up what another process of the same mount has left, which was killed.
    ///
    /// - Parameters:
    ///   - name: Of the file in the directory of stages.
    ///   - record: What was there to be read, which is what is in the file.
    ///   - blocks: What was written down of it; a block that isn't as its hash says was changed by somebody since.
    ///   - directory: Of the cache.
    ///
    /// It is `nil` if the file isn't there any more.
    init?(takingOver name: String, _ record: GivenRecord, _ blocks: StageRecord?, in directory: CacheDirectory) {
        guard let last = record.arrived.runs.last, let file = try? directory.reopenStage(name),
            let stamp = FileStamp(descriptor: file.number), stamp.byteCount >= last.upperBound
        else { return nil }
        self.directory = directory
        self.name = name
        isInMemory = false
        arrived = record.arrived
        if let blocks, blocks.byteCount == record.byteCount, blocks.etag == record.etag {
            for range in blocks.damagedRanges(in: file) { arrived.remove(range) }
        }
        descriptor = file
        digest.noteArrival(upTo: arrived.end(from: 0))
    }

    deinit {
        // After a commit the name may be that of a later stage.
        if !isKept, !isInMemory { directory.removeStage(name) }
    }

    /// Begins an empty one in memory.
    ///
    /// - Parameters:
    ///   - name: What it would be called on disk.
    ///   - files: Where room was reserved for it.
    ///   - directory: Of the cache.
    /// - Throws: ``ContentError/broken(reason:)``.
    init(named name: String, in files: MemoryFiles, _ directory: CacheDirectory) throws(ContentError) {
        self.directory = directory
        self.name = name
        isInMemory = true
        do throws(SystemError) {
            descriptor = try files.makeFile()
        } catch {
            throw ContentError(error, "can't hold a book in memory")
        }
    }

    /// Begins one on disk with all that is in this one, in a file of its own.
    ///
    /// - Throws: ``ContentError/noRoom(reason:)`` or ``ContentError/broken(reason:)``.
    borrowing func copied() throws(ContentError) -> StageFile {
        var copy = try StageFile(named: name + ".copy", in: directory)
        try copy.takeOver(self)
        return copy
    }

    /// Takes over all that has arrived in another one, which may have been written badly: its bytes are hashed once more.
    ///
    /// - Throws: ``ContentError/noRoom(reason:)`` or ``ContentError/broken(reason:)``.
    mutating func takeOver(_ other: borrowing StageFile) throws(ContentError) {
        var failure: ContentError?
        do throws(SystemError) {
            for run in other.arrived.runs {
                var offset = run.lowerBound
                try other.descriptor.forEachPiece(of: run) { piece in
                    guard failure == nil else { return }
                    do throws(ContentError) { _ = try write(piece, at: offset) } catch { failure = error }
                    offset += Int64(piece.count)
                }
            }
        } catch {
            throw ContentError(error, "can't read from the cache")
        }
        if let failure { throw failure }
        sha256 = other.sha256
    }

    /// Adds bytes where none are yet.
    ///
    /// - Parameters:
    ///   - bytes: What came.
    ///   - offset: Where they belong, in bytes.
    /// - Returns: What is new of it.
    /// - Throws: ``ContentError/noRoom(reason:)`` or ``ContentError/broken(reason:)``; what was there before stays good.
    mutating func write(_ bytes: Span<UInt8>, at offset: Int64) throws(ContentError) -> Range<Int64>? {
        let end = offset + Int64(bytes.count)
        var new: Range<Int64>?
        do throws(SystemError) {
            while let gap = arrived.firstGap(from: new?.upperBound ?? offset, limit: end) {
                try descriptor.write(
                    bytes.extracting(Int(gap.lowerBound - offset)..<Int(gap.upperBound - offset)), at: gap.lowerBound)
                arrived.insert(gap)
                new = (new?.lowerBound ?? gap.lowerBound)..<gap.upperBound
            }
        } catch {
            throw ContentError(error, "can't write to the cache")
        }
        digest.noteArrival(upTo: arrived.end(from: 0))
        return new
    }

    /// Whether bytes are the same as those of them that have arrived before.
    ///
    /// - Throws: ``ContentError/broken(reason:)``.
    borrowing func agrees(with bytes: Span<UInt8>, at offset: Int64) throws(ContentError) -> Bool {
        let end = offset + Int64(bytes.count)
        var position = offset
        var isSame = true
        do throws(SystemError) {
            while position < end, isSame {
                let runEnd = min(arrived.end(from: position), end)
                if runEnd > position {
                    try descriptor.forEachPiece(of: position..<runEnd) { piece in
                        let there = bytes.extracting(Int(position - offset)..<Int(position - offset) + piece.count)
                        if !piece.isEqual(to: there) { isSame = false }
                        position += Int64(piece.count)
                    }
                }
                position = arrived.firstGap(from: position, limit: end)?.upperBound ?? end
            }
        } catch {
            throw ContentError(error, "can't read from the cache")
        }
        return isSame
    }

    /// Takes away what lies at or after `offset`.
    mutating func cut(at offset: Int64) {
        arrived.cut(at: offset)
        // What is longer than the content that comes instead would otherwise stay at its end.
        ftruncate(descriptor.number, Int(offset))
        sha256 = nil
        digest.cut(at: offset)
    }

    /// Opens the file once more, for readers: they can't write to it, and keep it whatever becomes of its name.
    ///
    /// - Throws: ``ContentError/broken(reason:)``.
    borrowing func openForReading() throws(ContentError) -> Descriptor {
        do throws(SystemError) {
            return try descriptor.reopenedForReading()
        } catch {
            throw ContentError(error, "can't read from the cache")
        }
    }

    /// A hash that is being made, and the file to go on with.
    struct Hashing: ~Copyable {
        let digest: PrefixDigest
        let file: Descriptor
    }

    /// Opens the file for whoever hashes it while it grows.
    ///
    /// - Throws: ``ContentError/broken(reason:)``.
    borrowing func openForHashing() throws(ContentError) -> Hashing {
        Hashing(digest: digest, file: try openForReading())
    }

    /// Checks the whole content.
    ///
    /// - Parameter version: Whose content it is.
    /// - Throws: ``ContentError/broken(reason:)`` if the hash is another than the version's.
    mutating func verify(for version: ContentVersion) throws(ContentError) {
        let byteCount = arrived.end(from: 0)
        isKept = false
        let found: String
        do throws(SystemError) {
            found = try digest.finish(in: descriptor)
        } catch {
            throw ContentError(error, "can't read from the cache")
        }
        guard sha256 ?? version.sha256 ?? found == found else {
            throw version.isSuperseded
                ? .superseded : .broken(reason: "the bytes that came have another SHA-256 than the catalog says")
        }
        guard FileStamp(descriptor: descriptor.number)?.byteCount == byteCount else {
            throw .broken(reason: "the cache holds another number of bytes than came")
        }
        sha256 = found
    }

    /// Writes the record of a verified content, still under a temporary name.
    ///
    /// - Parameters:
    ///   - etag: As the source wrote it.
    ///   - start: The start of the system beyond which the content isn't good before ``synchronise()``; `nil` to have both on the disk
    ///     now, which is waited for.
    /// - Returns: The file, open for reading; one in memory is only opened.
    /// - Throws: ``ContentError/noRoom(reason:)`` or ``ContentError/broken(reason:)``.
    borrowing func seal(etag: String?, start: String?) throws(ContentError) -> CachedFile {
        do throws(SystemError) {
            if !isInMemory, start == nil { try descriptor.synchronise() }
            guard let sha256, let stamp = FileStamp(descriptor: descriptor.number) else {
                throw SystemError(number: EIO)
            }
            if !isInMemory {
                let record = ContentRecord(
                    byteCount: stamp.byteCount, modifiedAt: stamp.modifiedAt, sha256: sha256, etag: etag, start: start)
                try directory.writeStagedRecord(record, name)
            }
            return CachedFile(
                try descriptor.reopenedForReading(), stamp, sha256: sha256, isInMemory: isInMemory)
        } catch {
            throw ContentError(error, "can't keep a book in the cache")
        }
    }

    /// Waits until what is in it is on the disk, whatever its name is by now.
    ///
    /// - Throws: ``ContentError/noRoom(reason:)`` or ``ContentError/broken(reason:)``.
    borrowing func synchronise() throws(ContentError) {
        do throws(SystemError) {
            try descriptor.synchronise()
        } catch {
            throw ContentError(error, "can't keep a book in the cache")
        }
    }

    /// Makes a sealed content visible as that of a version; from now on its name is another's.
    ///
    /// - Throws: ``ContentError/noRoom(reason:)`` or ``ContentError/broken(reason:)``; it isn't visible then.
    mutating func publish(as version: VersionID) throws(ContentError) {
        do throws(SystemError) {
            try directory.publish(name, as: version)
            // What was written down of it goes with the name, which may be that of a later stage soon.
            directory.removeStage(name)
            isKept = true
        } catch {
            throw ContentError(error, "can't keep a book in the cache")
        }
    }
}

extension ContentError {
    /// What a failed call of the system means to a reader.
    init(_ error: SystemError, _ what: String) {
        let reason = "\(what): \(error.words)"
        self = error.isForLackOfRoom ? .noRoom(reason: reason) : .cacheFailed(reason: reason)
    }
}

extension Span<UInt8> {
    /// Whether it has the same bytes as another of the same length.
    fileprivate func isEqual(to other: Span<UInt8>) -> Bool {
        unsafe withUnsafeBytes { own in
            unsafe other.withUnsafeBytes { other in
                guard let first = own.baseAddress, let second = other.baseAddress else { return true }
                return unsafe memcmp(first, second, own.count) == 0
            }
        }
    }
}
