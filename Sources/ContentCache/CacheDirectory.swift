internal import CXattr
internal import Glibc
internal import Shelf

/// Where things are in the directory of a cache, and the few ways in which they change.
///
/// Paths are made from numbers alone: nothing that a source says becomes part of a name.
///
///     CACHEDIR.TAG  catalog  lock  content/7f/127.book  content/7f/127.record
///     stage/127.part  stage/127.part.progress  stage/127.given
struct CacheDirectory: Sendable {
    let path: String
    var calls = FileCalls()

    /// The identity of the catalog whose numbers the files go by; `nil` to go by numbers alone.
    var catalog: String?

    /// Which start of the system this is; `nil` where nobody can tell.
    var start = SystemStart.current

    var contentPath: String { path + "/content" }
    var stagePath: String { path + "/stage" }
    var lockPath: String { path + "/lock" }

    func folderPath(of version: VersionID) -> String {
        let number = UInt8(truncatingIfNeeded: version.rawValue)
        return "\(contentPath)/\(number < 16 ? "0" : "")\(String(number, radix: 16))"
    }

    func bookPath(of version: VersionID) -> String { "\(folderPath(of: version))/\(version.rawValue).book" }

    func recordPath(of version: VersionID) -> String { "\(folderPath(of: version))/\(version.rawValue).record" }

    func stagedRecordPath(_ name: String) -> String { "\(stagePath)/\(name).record" }

    /// Makes what is missing of it: private, and marked as a cache for those who make backups.
    ///
    /// - Throws: ``ContentCacheError/unusable(path:reason:)``.
    func prepare() throws(ContentCacheError) {
        do throws(SystemError) {
            try Self.makeDirectories(path)
            try Self.makeDirectories(contentPath)
            try Self.makeDirectories(stagePath)
        } catch {
            throw .unusable(path: path, reason: error.words)
        }
        // A full disk is no reason not to read what is there; the next time it is made up for.
        do throws(SystemError) { try writeTag() } catch { unsafe unlink(path + "/CACHEDIR.TAG") }
        // Where the file system has no attributes the tag must do.
        _ = unsafe setxattr(path, "user.xdg.robots.backup", "false", 5, 0)
    }

    /// Writes the record of a staged file.
    ///
    /// - Throws: What the system gives.
    func writeStagedRecord(_ record: ContentRecord, _ name: String) throws(SystemError) {
        let file = try Descriptor(opening: stagedRecordPath(name), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, by: calls)
        try file.write(Array(record.text.utf8).span, at: 0)
        // Otherwise it says itself that it may not outlive the system.
        if record.start == nil { try file.synchronise() }
    }

    /// Writes the record of a content anew, as of one that is on the disk, to take the place of the one that it has.
    ///
    /// - Returns: Where it is until then; `nil` if the content has no record that it could replace.
    /// - Throws: What the system gives.
    func writeSecuredRecord(of version: VersionID) throws(SystemError) -> String? {
        guard var record = try readRecord(of: version), record.start != nil else { return nil }
        record.start = nil
        let path = "\(stagePath)/\(version.rawValue).record"
        let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, by: calls)
        // Whichever of the two a power cut leaves, or half of one: none says more than is true.
        try file.write(Array(record.text.utf8).span, at: 0)
        return path
    }

    /// Gives a staged file and its record their places: the record first, so that no content is ever without.
    ///
    /// On the disk they are only after ``writeSecuredRecord(of:)``, unless both were before; the names are after
    /// ``synchroniseFolder(of:)``.
    ///
    /// - Throws: What the system gives; the content isn't visible then.
    func publish(_ name: String, as version: VersionID) throws(SystemError) {
        try Self.makeDirectories(folderPath(of: version))
        try keepOwner()
        try move(stagedRecordPath(name), to: recordPath(of: version))
        do throws(SystemError) {
            try move("\(stagePath)/\(name)", to: bookPath(of: version))
        } catch {
            // It says nothing of a book that may stand there.
            unsafe unlink(recordPath(of: version))
            throw error
        }
    }

    /// Waits until the names in the folder of a content are on the disk.
    ///
    /// - Throws: What the system gives; the content is visible, and may be gone after a crash.
    func synchroniseFolder(of version: VersionID) throws(SystemError) {
        try Descriptor(opening: folderPath(of: version), O_RDONLY | O_DIRECTORY, by: calls).synchronise()
    }

    /// The record of a content, or `nil` if there is none that is whole.
    func record(of version: VersionID) -> ContentRecord? {
        (try? readRecord(of: version)) ?? nil
    }

    /// The record of a content, or `nil` if there is certainly none that is whole.
    ///
    /// - Throws: Why nobody can tell just now.
    func readRecord(of version: VersionID) throws(SystemError) -> ContentRecord? {
        do throws(SystemError) {
            return try readRecord(in: Descriptor(openingForReading: recordPath(of: version), by: calls))
        } catch {
            if error.number == ENOENT { return nil }
            throw error
        }
    }

    private func readRecord(in file: borrowing Descriptor) throws(SystemError) -> ContentRecord? {
        // What was not on the disk when the system went down may be anything now.
        guard let record = try readAnyRecord(in: file), record.start == nil || record.start == start else { return nil }
        return record
    }

    private func readAnyRecord(in file: borrowing Descriptor) throws(SystemError) -> ContentRecord? {
        let number = file.number
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = try calls.make(.read, byteCount: bytes.count) { unsafe pread(number, &bytes, $0, 0) }
        return String(validating: bytes[..<count], as: UTF8.self).flatMap(ContentRecord.init)
    }

    /// Whether a content was not on the disk when the system went down.
    func isOfEarlierStart(_ version: VersionID) -> Bool {
        guard let file = try? Descriptor(openingForReading: recordPath(of: version), by: calls),
            let found = try? readAnyRecord(in: file), let its = found.start
        else { return false }
        return its != start
    }

    /// Removes a content and its record; nothing happens if they aren't there.
    func removeContent(of version: VersionID) {
        unsafe unlink(bookPath(of: version))
        unsafe unlink(recordPath(of: version))
    }

    /// Calls `body` with the number of each content that has a file, and what the file is like.
    func forEachContent(_ body: (VersionID, FileStamp) -> Void) {
        for folder in names(in: contentPath) {
            for name in names(in: "\(contentPath)/\(folder)") {
                guard name.hasSuffix(".book"), let number = Int64(name.dropLast(5)),
                    let stamp = FileStamp(path: "\(contentPath)/\(folder)/\(name)")
                else { continue }
                body(VersionID(rawValue: number), stamp)
            }
        }
    }

    func contentStamp(of version: VersionID) -> FileStamp? { FileStamp(path: bookPath(of: version)) }

    /// The text in a small file; `nil` if there is none, or it has more bytes.
    func text(at path: String, atMost limit: Int64) -> String? {
        guard let file = try? Descriptor(openingForReading: path, by: calls),
            let stamp = FileStamp(descriptor: file.number),
            stamp.byteCount <= limit
        else { return nil }
        var bytes: [UInt8] = []
        let isRead: Void? = try? file.forEachPiece(of: 0..<stamp.byteCount) { piece in
            for index in piece.indices { bytes.append(piece[index]) }
        }
        return isRead == nil ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// What is free on its file system for this user, in bytes; `nil` if nobody can tell.
    var freeByteCount: Int64? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        let (byteCount, isOverflow) = Int64(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int64(clamping: status.f_frsize))
        return isOverflow ? .max / 4 : byteCount
    }

    /// What tells whether the directory of contents is still the one that was looked at; `nil` if it isn't there.
    var contentIdentity: [Int64]? {
        var status = stat()
        guard unsafe stat(contentPath, &status) == 0 else { return nil }
        return [Int64(status.st_ino), Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec)]
    }

    /// The names in a directory, but for hidden ones; none where it can't be read.
    func names(in directory: String) -> [String] {
        guard let stream = unsafe opendir(directory) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    /// Bryan Ford's Cache Directory Tagging Specification.
    private func writeTag() throws(SystemError) {
        let tag = path + "/CACHEDIR.TAG"
        guard FileStamp(path: tag) == nil else { return }
        let text = """
            Signature: 8a477f597d28d172789f06886806bc55
            # This directory holds copies of books that can be fetched again; there is no need to back it up.

            """
        try Descriptor(opening: tag, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, by: calls).write(
            Array(text.utf8).span, at: 0)
    }

    /// Makes a directory that only its owner may enter, and those above it.
    private static func makeDirectories(_ path: String) throws(SystemError) {
        if unsafe mkdir(path, 0o700) == 0 { return }
        let error = SystemError.current
        if error.number == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try makeDirectories(String(path[..<slash]))
            guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .current }
            return
        }
        var attributes = stat()
        guard error.number == EEXIST, unsafe stat(path, &attributes) == 0 else { throw error }
        guard attributes.st_mode & Glibc.S_IFMT == Glibc.S_IFDIR else { throw SystemError(number: ENOTDIR) }
    }

    func move(_ old: String, to new: String) throws(SystemError) {
        _ = try calls.make(.rename) { _ in unsafe Int(rename(old, new)) }
    }
}
