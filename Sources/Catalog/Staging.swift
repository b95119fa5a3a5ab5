internal import SQLite
internal import Shelf

/// The records of one document, in tables beside the catalog until the document has ended well.
///
/// They stand in a temporary database that SQLite keeps in an unlinked file: readers of the catalog see the old state,
/// and a document that breaks off, or a process that dies, leaves nothing behind.
struct Staging: ~Copyable {
    /// Rows that one transaction of the staging file takes.
    private static var batchCount: Int { 50_000 }

    /// Records passed over, in document order; of very many, the first.
    private(set) var skipped: [SkippedRecord] = []

    /// How many records were passed over in all.
    private(set) var skippedCount = 0

    /// Whether a record says anything of a purchase, or of reading; hardly any store does, and each costs a pass over all.
    private(set) var hasPurchases = false
    private(set) var hasReadingTimes = false

    private var insert: Statement
    private var keep: Statement
    private var pending = 0

    /// The keys so far; `nil` once one of them may have come twice.
    private var keys: TextSet? = TextSet()

    /// How many keys are remembered, in 32 MB; with more of them the table is asked.
    private static var maximumRemembered: Int { 2_000_000 }

    /// Attaches the temporary database to `connection`, which must have no transaction open.
    init(on connection: borrowing Connection) throws(SQLiteError) {
        try connection.execute(
            """
            ATTACH '' AS staging;
            PRAGMA staging.journal_mode = OFF;
            PRAGMA staging.synchronous = OFF;
            PRAGMA staging.cache_size = -24576;
            CREATE TABLE staging.record (
                number INTEGER PRIMARY KEY, key TEXT NOT NULL, fingerprint INTEGER NOT NULL, title TEXT NOT NULL,
                authors TEXT NOT NULL, categories TEXT NOT NULL, description TEXT, language TEXT, publisher TEXT,
                isbn TEXT, series TEXT, series_index REAL, contents TEXT, cover_url TEXT, store_url TEXT,
                order_id TEXT, price TEXT, is_purchased INTEGER NOT NULL, is_sample INTEGER NOT NULL,
                purchased_at INTEGER, last_read_at INTEGER, url TEXT, media_type TEXT, byte_count INTEGER,
                sha256 BLOB, modified_at INTEGER, title_sort TEXT, book INTEGER
            );
            CREATE TABLE staging.kept (key TEXT PRIMARY KEY) WITHOUT ROWID;
            """)
        let insert = try Statement(
            """
            INSERT INTO staging.record VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
                ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, NULL)
            """, on: connection)
        let keep = try Statement("INSERT OR IGNORE INTO staging.kept VALUES (?1)", on: connection)
        // A throw must find either nothing or everything initialised.
        self.insert = insert
        self.keep = keep
    }

    /// Detaches the temporary database, which then is gone, and so is the staging.
    mutating func detach(from connection: borrowing Connection) throws(SQLiteError) {
        try finishBatch(on: connection)
        try connection.execute("DETACH staging")
    }

    /// Takes the next record.
    ///
    /// - Throws: ``SQLiteError``; the staging is then useless.
    mutating func add(_ record: SourceRecord, on connection: borrowing Connection) throws(SQLiteError) {
        if pending == 0 { try connection.execute("BEGIN") }
        pending += 1
        switch record {
        case .book(let book, let number):
            note(book.key)
            if book.orderID != nil || book.price != nil { hasPurchases = true }
            if book.lastReadAt != nil { hasReadingTimes = true }
            try insert.run(values(of: book, number: number))
        case .skipped(let record):
            skippedCount += 1
            if skipped.count < SyncSummary.maximumReportedCount { skipped.append(record) }
            if let key = record.key { try keep.run([.text(key)]) }
        }
        if pending == Self.batchCount { try finishBatch(on: connection) }
    }

    private mutating func note(_ key: String) {
        guard let count = keys?.count else { return }
        if count == Self.maximumRemembered || keys?.insert(key) == false { keys = nil }
    }

    /// Ends the open batch; after it, `connection` has no transaction open.
    mutating func finishBatch(on connection: borrowing Connection) throws(SQLiteError) {
        guard pending > 0 else { return }
        pending = 0
        try connection.execute("COMMIT")
    }

    /// Takes out all but the last record of a key, and reports the others as skipped.
    mutating func dropDuplicates(on connection: borrowing Connection) throws(SQLiteError) {
        let areDistinct = keys != nil
        keys = nil
        if areDistinct { return }
        try connection.execute(
            """
            CREATE INDEX staging.record_key ON record(key);
            CREATE TABLE staging.duplicate AS
                SELECT r.number, r.key, d.last FROM
                    (SELECT key, max(number) AS last FROM staging.record GROUP BY key HAVING count(*) > 1) AS d
                    JOIN staging.record AS r ON r.key = d.key AND r.number < d.last ORDER BY r.number;
            """)
        let count = Int(try connection.number("SELECT count(*) FROM staging.duplicate"))
        guard count > 0 else { return }
        var find = try Statement("SELECT number, key, last FROM staging.duplicate LIMIT ?1", on: connection)
        try find.forEachRow([.integer(Int64(SyncSummary.maximumReportedCount))]) { (row) throws(SQLiteError) in
            skipped.append(
                SkippedRecord(
                    number: Int(row.integer(at: 0)), key: row.text(at: 1),
                    reason: "the same id as record \(row.integer(at: 2)), which counts"))
        }
        skipped = Array(skipped.sorted { $0.number < $1.number }.prefix(SyncSummary.maximumReportedCount))
        skippedCount += count
        try connection.execute("DELETE FROM staging.record WHERE number IN (SELECT number FROM staging.duplicate)")
    }

    private func values(of book: BookRecord, number: Int) -> [Value] {
        let content = book.content
        let mediaType = content?.mediaType == "application/epub+zip" ? nil : content?.mediaType
        return [
            .integer(Int64(number)), .text(book.key), .integer(Int64(bitPattern: Fingerprint(book).value)),
            .text(book.title), .text(PackedList.pack(authors: book.authors)),
            .text(PackedList.pack(book.categories)), .text(orNull: book.description), .text(orNull: book.language),
            .text(orNull: book.publisher), .text(orNull: book.isbn), .text(orNull: book.series),
            .real(orNull: book.seriesIndex), book.contents.isEmpty ? .null : .text(PackedList.pack(book.contents)),
            .text(orNull: book.coverURL), .text(orNull: book.storeURL), .text(orNull: book.orderID),
            .text(orNull: book.price), .bool(book.isPurchased), .bool(book.isSample),
            .integer(orNull: book.purchasedAt), .integer(orNull: book.lastReadAt), .text(orNull: content?.url),
            .text(orNull: mediaType), .integer(orNull: content?.byteCount),
            content?.sha256.flatMap(HexDigits.bytes(of:)).map(Value.blob) ?? .null,
            .integer(orNull: content?.modifiedAt), .null,
        ]
    }
}
