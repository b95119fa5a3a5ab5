internal import Glibc
internal import SQLite
package import Shelf

/// Reads the library of a Calibre: its database `metadata.db` and what lies beside it.
///
/// Nothing is ever written there: the database is opened for reading, and one that couldn't be read without writing beside
/// it is refused. All of it is read in one transaction, so what Calibre does meanwhile isn't seen by halves.
package struct CalibreLibrary: Sendable {
    private let directory: String
    private let preference: [BookFormat]
    private let categories: CategoryField

    /// How long to wait for a Calibre that is writing.
    private static var patience: Duration { .seconds(5) }

    /// - Parameters:
    ///   - directory: The folder with `metadata.db`, an absolute path.
    ///   - preference: The forms of EPUB, the preferred ones first.
    ///   - categories: What makes the categories.
    package init(_ directory: String, preference: [BookFormat] = [.epub, .kepub], categories: CategoryField = .tags) {
        self.directory = directory.hasSuffix("/") && directory != "/" ? String(directory.dropLast()) : directory
        self.preference = preference
        self.categories = categories
    }

    private var databasePath: String { directory + "/metadata.db" }

    /// Reads the whole library.
    ///
    /// - Parameter deliver: Takes the books, in the order in which they were added.
    /// - Throws: ``SourceError``, or what `deliver` throws.
    package func read(deliver: (SourceRecord) throws(SourceError) -> Void) throws(SourceError) {
        try checkFile()
        let failure: SourceError?
        do throws(SQLiteError) {
            let connection = try Connection(databasePath, access: .read, busyTimeout: Self.patience)
            try connection.execute("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; BEGIN")
            defer { try? connection.execute("ROLLBACK") }
            failure = try hand(from: connection, to: deliver)
        } catch {
            throw explain(error)
        }
        if let failure { throw failure }
    }

    /// - Returns: Why it isn't a library, or what `deliver` threw.
    private func hand(
        from connection: borrowing Connection, to deliver: (SourceRecord) throws(SourceError) -> Void
    ) throws(SQLiteError) -> SourceError? {
        guard try CalibreTables.areThere(on: connection) else {
            return .refused(reason: "\(databasePath) isn't the database of a Calibre library")
        }
        var tables = try CalibreTables(categories: categories, on: connection)
        if case .column(let name) = categories, !tables.hasCategories {
            return .refused(
                reason: "the Calibre library \(directory) has no column #\(name); see the setting category-from")
        }
        var failure: SourceError?
        var number = 0
        try tables.forEachBook { (row) throws(SQLiteError) in
            number += 1
            do throws(SourceError) {
                try deliver(.book(record(of: row), number: number))
                return .next
            } catch {
                failure = error
                return .stop
            }
        }
        return failure
    }

    // MARK: - The file

    /// - Throws: ``SourceError`` if there is no database, or one that can't be read without writing.
    private func checkFile() throws(SourceError) {
        let descriptor = unsafe open(databasePath, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let number = errno
            if number == EACCES { throw .denied(reason: "\(databasePath) may not be read by this user") }
            let words = unsafe String(cString: strerror(number))
            throw .unreachable(reason: "there is no Calibre library in \(directory): \(databasePath): \(words)")
        }
        defer { close(descriptor) }
        // The bytes that say which journal the database has; 2 is a write-ahead log, whose readers write beside it.
        var versions = [UInt8](repeating: 0, count: 2)
        guard unsafe pread(descriptor, &versions, 2, 18) == 2 else {
            throw .refused(reason: "\(databasePath) isn't a database")
        }
        guard versions != [2, 2] else {
            throw .refused(
                reason: "\(databasePath) keeps a write-ahead log, as no Calibre does, and can't be read without writing"
            )
        }
    }

    private func explain(_ error: SQLiteError) -> SourceError {
        switch error.kind {
        case .busy:
            .unreachable(
                reason: "\(databasePath) is locked by a program that writes to it; the shelf stays as it was, "
                    + "and the next sync tries again")
        default: .refused(reason: "\(databasePath) can't be read: \(error.description)")
        }
    }

    // MARK: - Books

    private func record(of row: CalibreRow) -> BookRecord {
        let title = row.title.trimmed
        var book = BookRecord(
            key: row.uuid.isEmpty ? "calibre:\(row.id)" : row.uuid, title: title.isEmpty ? "Unknown" : title)
        book.authors = row.authors
        book.categories = row.categories
        let description = DescriptionText.plain(row.comments)
        book.description = description.isEmpty ? nil : description
        book.language = row.language.flatMap { LanguageTag.tag($0) }
        book.publisher = row.publisher
        book.isbn = row.isbn
        book.series = row.series
        book.seriesIndex = row.series == nil ? nil : row.seriesIndex
        book.isPurchased = true
        book.purchasedAt = row.addedAt
        guard let folder = folder(row.path) else { return book }
        if row.hasCover { book.coverURL = LibraryFile.url(path: folder + "/cover.jpg") }
        book.content = content(row.formats, in: folder)
        return book
    }

    /// The folder of a book; `nil` for a path that leads out of the library.
    private func folder(_ path: String) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }), !path.utf8.contains(0) else {
            return nil
        }
        return directory + "/" + path
    }

    private func content(_ formats: [CalibreRow.Format], in folder: String) -> ContentStatement? {
        let found = formats.compactMap { format in
            BookFormat(calibreName: format.format).map { (form: $0, name: format.name) }
        }
        for (form, name) in found.sorted(by: { $0.form.rank(in: preference) < $1.form.rank(in: preference) }) {
            guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0) else { continue }
            let path = "\(folder)/\(name).\(form.rawValue)"
            var status = stat()
            guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
                let url = LibraryFile.url(path: path)
            else { continue }
            var content = ContentStatement(url: url)
            content.mediaType = form.mediaType
            content.byteCount = Int64(status.st_size)
            content.modifiedAt = Int64(status.st_mtim.tv_sec)
            return content
        }
        return nil
    }
}
