internal import Archive
internal import Glibc
package import Shelf

/// Describes the EPUBs of a folder.
///
/// A book is known by its path in the folder. What a book says of itself comes from its package document; one that can't be
/// read is listed under the name of its file, and reported. A file that isn't whole yet is passed over, and the book that
/// was there before stays.
package struct BookFolder: Sendable {
    private let directory: String

    /// How long a file that isn't a whole archive counts as one that is being written.
    private static var writingNanoseconds: Int64 { 60_000_000_000 }

    /// Since the last change of a file that is taken for settled at once.
    private static var settlingNanoseconds: Int64 { 1_000_000_000 }

    /// Names the folder, which needn't be there yet.
    ///
    /// - Parameter directory: An absolute path.
    package init(_ directory: String) {
        self.directory = directory.hasSuffix("/") && directory != "/" ? String(directory.dropLast()) : directory
    }

    /// Reads the books of a folder.
    ///
    /// - Parameters:
    ///   - listing: What is in it.
    ///   - now: Nanoseconds since 1970, by the clock that dates files.
    ///   - wait: Waits for so long; called once at most.
    ///   - deliver: Takes the records.
    /// - Returns: Whether nobody was writing there, so that the same listing would give the same books again.
    /// - Throws: What `deliver` throws.
    package func read(
        _ listing: FolderListing, now: Int64, wait: (Duration) -> Void,
        deliver: (SourceRecord) throws(SourceError) -> Void
    ) throws(SourceError) -> Bool {
        var number = 0
        var isSettled = true
        var fresh: [FolderListing.File] = []
        for file in listing.files {
            // A date in the time to come is nobody's who is writing now.
            if (0..<Self.settlingNanoseconds).contains(now - file.stamp.modifiedAt) {
                fresh.append(file)
            } else if try !take(file.path, now: now, number: &number, deliver: deliver) {
                isSettled = false
            }
        }
        // What was changed just now may be in the middle of it; a file that is left alone for a second isn't.
        if !fresh.isEmpty { wait(.nanoseconds(Self.settlingNanoseconds)) }
        for file in fresh {
            if FileDate(path(file.path)) == file.stamp {
                if try !take(file.path, now: now, number: &number, deliver: deliver) { isSettled = false }
            } else {
                isSettled = false
                number += 1
                let reason = "\(file.path) is being written"
                try deliver(.skipped(SkippedRecord(number: number, key: file.path, reason: reason)))
            }
        }
        if listing.unnameableCount > 0 {
            number += 1
            let reason = "\(listing.unnameableCount) files have names that aren't UTF-8; rename them"
            try deliver(.skipped(SkippedRecord(number: number, key: nil, reason: reason)))
        }
        return isSettled
    }

    private func path(_ file: String) -> String { directory + "/" + file }

    // MARK: - Files

    /// - Returns: Whether the file isn't one that is being written.
    private func take(
        _ file: String, now: Int64, number: inout Int, deliver: (SourceRecord) throws(SourceError) -> Void
    ) throws(SourceError) -> Bool {
        number += 1
        // One that was removed meanwhile isn't there.
        guard let stamp = FileDate(path(file)), let url = LibraryFile.url(path: path(file)) else { return false }
        guard stamp.byteCount > 0 else {
            try deliver(.skipped(SkippedRecord(number: number, key: file, reason: "\(file) is empty")))
            return false
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
            if error == .notWhole, (0..<Self.writingNanoseconds).contains(now - stamp.modifiedAt) {
                let reason = "\(file) isn't whole yet; the next sync looks again"
                try deliver(.skipped(SkippedRecord(number: number, key: file, reason: reason)))
                return false
            }
            fault = error.reason
        }
        try deliver(.book(book, number: number))
        if let fault {
            let reason = "\(file) is listed under the name of its file: \(fault)"
            try deliver(.skipped(SkippedRecord(number: number, key: nil, reason: reason)))
        }
        return true
    }

    /// A byte of a fragment of a URL.
    private static func escaped(_ byte: UInt8) -> String {
        let isPlain =
            (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || "-._~/".utf8.contains(byte)
        guard !isPlain else { return String(UnicodeScalar(byte)) }
        return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
