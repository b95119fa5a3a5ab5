internal import SQLite
internal import Shelf

/// Changes one book at a time: what the source states, its content version, and whether it stands on the shelf.
///
/// Lives for one transaction of one source.
struct BookWriter: ~Copyable {
    private let now: Int64
    private var load: Statement
    private var staged: Statement
    private var overwrite: Statement
    private var addVersion: Statement
    private var adjustVersion: Statement
    private var supersede: Statement
    private var touchVersion: Statement
    private var revoke: Statement
    private var purchase: Statement
    private var read: Statement

    /// A book and its current content as the catalog has them.
    private struct Stored {
        var title: String
        var authors: String
        var categories: String
        var isPurchased: Bool
        var isSample: Bool
        var details: ShelvedBook.Details
        var version: StoredVersion?
    }

    private struct StoredVersion {
        var id: VersionID
        var url: String
        var mediaType: String?
        var byteCount: Int64?
        var declaredByteCount: Int64?
        var sha256: [UInt8]
        var modifiedAt: Int64?
    }

    /// What the staged record states about content.
    private struct StagedContent {
        var url: String?
        var mediaType: String?
        var byteCount: Int64?
        var sha256: [UInt8]
        var modifiedAt: Int64?
    }

    init(source: Int64, now: Int64, on connection: borrowing Connection) throws(SQLiteError) {
        self.now = now
        let load = try Statement(
            """
            SELECT b.title, b.authors, b.categories, b.is_purchased, b.is_sample, v.id, v.url, v.media_type,
                v.byte_count, v.declared_byte_count, v.sha256, v.modified_at, b.title_sort, b.series, b.series_index,
                b.language, b.publisher, b.isbn, s.kind
            FROM main.book AS b JOIN main.source AS s ON s.id = b.source LEFT JOIN main.version AS v ON v.book = b.id AND v.superseded_at IS NULL
            WHERE b.id = ?1
            """, on: connection)
        let staged = try Statement(
            "SELECT url, media_type, byte_count, sha256, modified_at FROM staging.record WHERE number = ?1",
            on: connection)
        let overwrite = try Statement(
            """
            UPDATE main.book SET fingerprint = r.fingerprint, title = r.title, title_sort = r.title_sort,
                authors = r.authors, categories = r.categories, description = r.description, language = r.language,
                publisher = r.publisher, isbn = r.isbn, series = r.series, series_index = r.series_index,
                contents = r.contents, cover_url = r.cover_url, store_url = r.store_url,
                is_purchased = r.is_purchased, is_sample = r.is_sample, purchased_at = r.purchased_at,
                updated_at = ?3, is_revoked = 0
            FROM staging.record AS r WHERE book.id = ?1 AND r.number = ?2
            """, on: connection)
        let addVersion = try Statement(
            """
            INSERT INTO main.version (book, url, media_type, byte_count, declared_byte_count, sha256, modified_at,
                first_seen_at, changed_at) VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?7)
            """, on: connection)
        let adjustVersion = try Statement(
            "UPDATE main.version SET url = ?2, media_type = ?3 WHERE id = ?1", on: connection)
        let supersede = try Statement("UPDATE main.version SET superseded_at = ?2 WHERE id = ?1", on: connection)
        let touchVersion = try Statement("UPDATE main.version SET changed_at = ?2 WHERE id = ?1", on: connection)
        let revoke = try Statement(
            "UPDATE main.book SET is_revoked = 1, updated_at = ?2 WHERE id = ?1", on: connection)
        let purchase = try Statement(
            """
            INSERT INTO main.purchase (book, order_id, price, purchased_at)
            SELECT ?1, order_id, price, purchased_at FROM staging.record
            WHERE number = ?2 AND (order_id IS NOT NULL OR price IS NOT NULL)
            ON CONFLICT (book) DO UPDATE SET order_id = excluded.order_id, price = excluded.price,
                purchased_at = excluded.purchased_at
            """, on: connection)
        let read = try Statement(
            """
            INSERT INTO main.personal (book, last_read_at)
            SELECT ?1, last_read_at FROM staging.record WHERE number = ?2 AND last_read_at IS NOT NULL
            ON CONFLICT (book) DO UPDATE SET last_read_at = max(ifnull(last_read_at, 0), excluded.last_read_at)
            """, on: connection)
        // A throw must find either nothing or everything initialised.
        self.load = load
        self.staged = staged
        self.overwrite = overwrite
        self.addVersion = addVersion
        self.adjustVersion = adjustVersion
        self.supersede = supersede
        self.touchVersion = touchVersion
        self.revoke = revoke
        self.purchase = purchase
        self.read = read
    }

    /// Takes a book off the shelf that its source no longer lists; its row, annotations and purchase stay.
    mutating func revoke(_ book: BookID, shelf: inout ShelfWriter) throws(SQLiteError) {
        let stored = try stored(book)
        try shelf.hide(book, byteCount: stored?.version?.byteCount ?? 0)
        if let version = stored?.version { try supersede.run([.integer(version.id.rawValue), .integer(now)]) }
        try revoke.run([.integer(book.rawValue), .integer(now)])
        try shelf.history.append(.book(book))
    }

    /// Takes a book off the shelf whose title changes, before ``update(_:from:showsSamples:shelf:on:)`` puts it back.
    mutating func releaseNames(of book: BookID, shelf: inout ShelfWriter) throws(SQLiteError) {
        guard let stored = try stored(book) else { return }
        try shelf.hide(book, byteCount: stored.version?.byteCount ?? 0)
    }

    /// Brings a book to what its staged record states.
    mutating func update(
        _ book: BookID, from number: Int64, showsSamples: Bool, shelf: inout ShelfWriter,
        on connection: borrowing Connection
    ) throws(SQLiteError) {
        guard let former = try stored(book) else { return }
        try overwrite.run([.integer(book.rawValue), .integer(number), .integer(now)])
        try purchase.run([.integer(book.rawValue), .integer(number)])
        try read.run([.integer(book.rawValue), .integer(number)])
        try updateContent(of: book, from: number, former: former.version)
        guard let stored = try stored(book) else { return }
        let wasShown = try shelf.isShown(book)
        let shelved = shelved(book, stored, showsSamples: showsSamples, in: shelf.arrangement)
        switch (wasShown, shelved) {
        case (false, nil): break
        case (true, nil): try shelf.hide(book, byteCount: former.version?.byteCount ?? 0)
        case (false, let shelved?):
            try shelf.show(shelved, on: connection)
            try noteNewName(of: shelved.version, shelf: &shelf)
        case (true, let shelved?):
            let isRenamed = stored.version?.mediaType != former.version?.mediaType
            try shelf.update(
                shelved, isRenamed: isRenamed, formerByteCount: former.version?.byteCount ?? 0, on: connection)
            if isRenamed || stored.categories != former.categories {
                try noteNewName(of: shelved.version, shelf: &shelf)
            }
        }
        try shelf.history.append(.book(book))
    }

    /// Moves the time at which name or links of a version last changed.
    private mutating func noteNewName(of version: VersionID, shelf: inout ShelfWriter) throws(SQLiteError) {
        try touchVersion.run([.integer(version.rawValue), .integer(now)])
        try shelf.history.append(.attributes(version))
    }

    /// Gives the current version of a book the content that the record states; a new version where the bytes differ.
    private mutating func updateContent(
        of book: BookID, from number: Int64, former: StoredVersion?
    ) throws(SQLiteError) {
        guard let content = try stagedContent(number) else { return }
        if let former, let url = content.url, isSame(former, content) {
            return try adjustVersion.run([.integer(former.id.rawValue), .text(url), .text(orNull: content.mediaType)])
        }
        if let former { try supersede.run([.integer(former.id.rawValue), .integer(now)]) }
        guard let url = content.url else { return }
        try addVersion.run([
            .integer(book.rawValue), .text(url), .text(orNull: content.mediaType),
            .integer(orNull: content.byteCount), content.sha256.isEmpty ? .null : .blob(content.sha256),
            .integer(orNull: content.modifiedAt), .integer(now),
        ])
    }

    /// Whether two statements are about the same bytes, as far as the source tells.
    private func isSame(_ stored: StoredVersion, _ stated: StagedContent) -> Bool {
        if !stored.sha256.isEmpty || !stated.sha256.isEmpty { return stored.sha256 == stated.sha256 }
        guard stored.declaredByteCount == stated.byteCount, stored.modifiedAt == stated.modifiedAt else { return false }
        // An address that changes with every answer (a signed one) is no new edition where size and date are the same.
        return stored.url == stated.url || (stated.byteCount != nil && stated.modifiedAt != nil)
    }

    private func shelved(
        _ book: BookID, _ stored: Stored, showsSamples: Bool, in arrangement: Arrangement
    ) -> ShelvedBook? {
        guard stored.isPurchased || (stored.isSample && showsSamples), let version = stored.version,
            let byteCount = version.byteCount
        else { return nil }
        return ShelvedBook(
            ShelvedBook.Description(
                id: book, version: version.id, title: stored.title, authors: stored.authors,
                categories: stored.categories, mediaType: version.mediaType, byteCount: byteCount,
                details: stored.details),
            in: arrangement)
    }

    private mutating func stored(_ book: BookID) throws(SQLiteError) -> Stored? {
        var found: Stored?
        try load.forEachRow([.integer(book.rawValue)]) { (row) throws(SQLiteError) in
            let version = row.integerOrNull(at: 5).map { id in
                StoredVersion(
                    id: VersionID(rawValue: id), url: row.text(at: 6), mediaType: row.textOrNull(at: 7),
                    byteCount: row.integerOrNull(at: 8), declaredByteCount: row.integerOrNull(at: 9),
                    sha256: row.bytes(at: 10), modifiedAt: row.integerOrNull(at: 11))
            }
            found = Stored(
                title: row.text(at: 0), authors: row.text(at: 1), categories: row.text(at: 2),
                isPurchased: row.bool(at: 3), isSample: row.bool(at: 4),
                details: ShelvedBook.Details(row, from: 12), version: version)
        }
        return found
    }

    private mutating func stagedContent(_ number: Int64) throws(SQLiteError) -> StagedContent? {
        var found: StagedContent?
        try staged.forEachRow([.integer(number)]) { (row) throws(SQLiteError) in
            found = StagedContent(
                url: row.textOrNull(at: 0), mediaType: row.textOrNull(at: 1), byteCount: row.integerOrNull(at: 2),
                sha256: row.bytes(at: 3), modifiedAt: row.integerOrNull(at: 4))
        }
        return found
    }
}
