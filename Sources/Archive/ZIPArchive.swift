internal import CZip
internal import Glibc

/// A ZIP archive that is open for reading.
///
/// What it states of itself is believed nowhere: directory and contents are bounded, and what is read is checked by its CRC.
/// Names are looked up and never become paths. An archive has one owner and belongs to one thread at a time.
///
/// libzip: <https://libzip.org/documentation/>
@safe package struct ZIPArchive: ~Copyable {
    /// Valid from `init` to `deinit`.
    private let handle: OpaquePointer

    /// The size and date of the file as it was opened, in bytes and nanoseconds since 1970.
    package let byteCount: Int64
    package let modifiedAt: Int64

    /// Opens the archive in a file.
    ///
    /// - Parameter path: Of a regular file; nothing else is opened, so that no pipe can keep this waiting.
    /// - Throws: ``ArchiveError``.
    package init(_ path: String) throws(ArchiveError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .unreadable(reason: unsafe String(cString: strerror(errno))) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .unreadable(reason: "it isn't a regular file")
        }
        do throws(ArchiveError) {
            try ArchiveEnd.check(descriptor, fileByteCount: Int64(status.st_size))
        } catch {
            close(descriptor)
            throw error
        }
        guard let file = unsafe fdopen(descriptor, "rb") else {
            close(descriptor)
            throw .unreadable(reason: "there is no memory for it")
        }
        // From here on the descriptor is the stream's, and the stream the source's.
        guard let source = unsafe zip_source_filep_create(file, 0, -1, nil) else {
            unsafe fclose(file)
            throw .unreadable(reason: "there is no memory for it")
        }
        guard let handle = unsafe zip_open_from_source(source, ZIP_RDONLY, nil) else {
            unsafe zip_source_free(source)
            throw .notWhole
        }
        unsafe self.handle = handle
        byteCount = Int64(status.st_size)
        modifiedAt = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }

    deinit {
        unsafe zip_discard(handle)
    }

    /// The content of an entry.
    ///
    /// - Parameters:
    ///   - name: Exactly, or but for the case of its letters.
    ///   - limit: How long it may be, in bytes.
    /// - Returns: All of its bytes.
    /// - Throws: ``ArchiveError``.
    package func content(of name: String, limit: Int) throws(ArchiveError) -> [UInt8] {
        var index = unsafe zip_name_locate(handle, name, zip_flags_t(ZIP_FL_ENC_GUESS))
        if index < 0 { index = unsafe zip_name_locate(handle, name, zip_flags_t(ZIP_FL_NOCASE)) }
        guard index >= 0 else { throw .missing(name: name) }
        guard let entry = unsafe zip_fopen_index(handle, zip_uint64_t(index), 0) else {
            throw .unreadable(reason: "“\(name)” in it can't be read: \(unsafe String(cString: zip_strerror(handle)))")
        }
        defer { unsafe zip_fclose(entry) }
        var bytes: [UInt8] = []
        let step = 64 << 10
        while true {
            var taken: zip_int64_t = 0
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: step) { buffer, count in
                if let start = buffer.baseAddress { unsafe taken = zip_fread(entry, start, zip_uint64_t(step)) }
                count = max(0, Int(taken))
            }
            guard taken >= 0 else { throw .unreadable(reason: "“\(name)” in it is damaged") }
            guard taken > 0 else { return bytes }
            guard bytes.count + piece.count <= limit else {
                throw .tooLarge(reason: "“\(name)” in it is larger than \(limit) bytes")
            }
            bytes += piece
        }
    }
}
