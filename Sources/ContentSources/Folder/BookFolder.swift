internal import Archive
internal import Glibc
package import Shelf

/// Reads a folder of EPUBs, with all folders in it.
///
/// A book is known by its path in the folder. What a book says of itself comes from its package document; one that can't be
/// read is listed under the name of its file, and reported. A file that isn't whole yet is passed over, and the book that
/// was there before stays.
package struct BookFolder: Sendable {
    private let directory: String

    /// How many folders may stand in each other.
    private static var depthLimit: Int { 64 }

    /// How long a file that isn't a whole archive counts as one that is being written.
    private static var writingSeconds: Int64 { 60 }

    /// Since the last change of a file that is taken for settled at once.
    private static var settlingNanoseconds: Int64 { 1_000_000_000 }

    /// - Parameter directory: An absolute path.
    package init(_ directory: String) {
        self.directory = directory.hasSuffix("/") && directory != "/" ? String(directory.dropLast()) : directory
    }

    /// Reads the whole folder.
    ///
    /// - Parameters:
    ///   - now: Nanoseconds since 1970, by the clock that dates files.
    ///   - wait: Waits for so long; called once at most.
    ///   - deliver: Takes the records, in the order of their paths.
    /// - Throws: ``SourceError`` where any folder can't be read, as its books would seem to be gone; or what `deliver` throws.
    package func read(
        now: Int64, wait: (Duration) -> Void, deliver: (SourceRecord) throws(SourceError) -> Void
    ) throws(SourceError) {
        var files: [String] = []
        var unnameable = 0
        try list(directory, below: "", depth: 0, into: &files, unnameable: &unnameable)
        files.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var number = 0
        var fresh: [(file: String, stamp: Stamp)] = []
        for file in files {
            guard let stamp = Stamp(of: path(file)) else { continue }
            if now - stamp.modifiedAt < Self.settlingNanoseconds {
                fresh.append((file, stamp))
            } else {
                try take(file, now: now, number: &number, deliver: deliver)
            }
        }
        // What was changed just now may be in the middle of it; a file that is left alone for a second isn't.
        if !fresh.isEmpty { wait(.nanoseconds(Self.settlingNanoseconds)) }
        for (file, stamp) in fresh {
            guard let later = Stamp(of: path(file)) else { continue }
            if later == stamp {
                try take(file, now: now, number: &number, deliver: deliver)
            } else {
                number += 1
                try deliver(.skipped(SkippedRecord(number: number, key: file, reason: "\(file) is being written")))
            }
        }
        if unnameable > 0 {
            number += 1
            let reason = "\(unnameable) files have names that aren't UTF-8; rename them"
            try deliver(.skipped(SkippedRecord(number: number, key: nil, reason: reason)))
        }
    }

    private func path(_ file: String) -> String { directory + "/" + file }

    // MARK: - Files

    /// By what it is seen that a file was changed.
    private struct Stamp: Equatable {
        let inode: UInt64
        let byteCount: Int64

        /// In nanoseconds since 1970.
        let modifiedAt: Int64

        /// - Returns: `nil` unless it is a regular file.
        init?(of path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            inode = UInt64(status.st_ino)
            byteCount = Int64(status.st_size)
            modifiedAt = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        }
    }

    private func take(
        _ file: String, now: Int64, number: inout Int, deliver: (SourceRecord) throws(SourceError) -> Void
    ) throws(SourceError) {
        number += 1
        guard let stamp = Stamp(of: path(file)), let url = LibraryFile.url(path: path(file)) else { return }
        guard stamp.byteCount > 0 else {
            return try deliver(.skipped(SkippedRecord(number: number, key: file, reason: "\(file) is empty")))
        }
        let name = file.split(separator: "/").last.map(String.init) ?? file
        let isKepub = name.lowercased().hasSuffix(".kepub.epub")
        let bareName = String(name.dropLast(isKepub ? ".kepub.epub".count : ".epub".count)).onOneLine
        var book = BookRecord(key: file, title: bareName.isEmpty ? name : bareName)
        book.isPurchased = true
        var content = ContentStatement(url: url)
        content.mediaType = (isKepub ? BookFormat.kepub : .epub).mediaType
        content.byteCount = stamp.byteCount
        content.modifiedAt = stamp.modifiedAt / 1_000_000_000
        book.content = content
        var fault: String?
        do throws(ArchiveError) {
            let epub = try EPUBFile(path(file))
            do throws(SourceError) {
                if let cover = try epub.describe(&book) {
                    book.coverURL = url + "#" + cover.utf8.map(Self.escaped).joined()
                }
            } catch {
                fault = error.reason
            }
        } catch {
            if error == .notWhole, now - stamp.modifiedAt < Self.writingSeconds * 1_000_000_000 {
                let reason = "\(file) isn't whole yet; the next sync looks again"
                return try deliver(.skipped(SkippedRecord(number: number, key: file, reason: reason)))
            }
            fault = error.reason
        }
        try deliver(.book(book, number: number))
        if let fault {
            let reason = "\(file) is listed under the name of its file: \(fault)"
            try deliver(.skipped(SkippedRecord(number: number, key: nil, reason: reason)))
        }
    }

    /// A byte of a fragment of a URL.
    private static func escaped(_ byte: UInt8) -> String {
        let isPlain =
            (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || "-._~/".utf8.contains(byte)
        guard !isPlain else { return String(UnicodeScalar(byte)) }
        return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }

    // MARK: - Folders

    /// Lists the EPUBs in a folder and those in it; hidden ones and links to folders are passed over.
    private func list(
        _ directory: String, below prefix: String, depth: Int, into files: inout [String], unnameable: inout Int
    ) throws(SourceError) {
        guard depth <= Self.depthLimit else {
            throw .refused(reason: "more than \(Self.depthLimit) folders stand in each other: \(directory)")
        }
        guard let stream = unsafe opendir(directory) else {
            let words = unsafe String(cString: strerror(errno))
            throw .unreachable(reason: "the folder \(directory) can't be read: \(words)")
        }
        var folders: [String] = []
        errno = 0
        while let entry = unsafe readdir(stream) {
            defer { errno = 0 }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                    unsafe String(validatingCString: $0)
                }
            }
            guard let name else {
                unnameable += 1
                continue
            }
            guard !name.hasPrefix(".") else { continue }
            if isFolder(directory + "/" + name, unsafe entry.pointee.d_type) {
                folders.append(name)
            } else if name.lowercased().hasSuffix(".epub") {
                files.append(prefix + name)
            }
        }
        let fault = errno
        unsafe closedir(stream)
        guard fault == 0 else {
            throw .unreachable(
                reason: "the folder \(directory) can't be read: \(unsafe String(cString: strerror(fault)))")
        }
        for name in folders {
            try list(
                directory + "/" + name, below: prefix + name + "/", depth: depth + 1, into: &files,
                unnameable: &unnameable)
        }
    }

    private func isFolder(_ path: String, _ type: UInt8) -> Bool {
        if type != UInt8(DT_UNKNOWN) { return type == UInt8(DT_DIR) }
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
