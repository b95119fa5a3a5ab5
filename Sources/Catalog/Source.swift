internal import SQLite

/// Where a catalog and its content come from, as the database keeps it.
package struct Source: Sendable, Equatable {
    /// The number of the source in the database.
    package let id: Int64

    /// Unique in a profile.
    package let name: String

    /// For example `store`.
    package let kind: String

    /// A URL or a path, without credentials.
    package let location: String

    /// What else the person said about the source, as a JSON object.
    package let options: String

    /// Whether plain http to other hosts than this one is allowed.
    package let allowsPlainHTTP: Bool

    /// What the source said of the document that the books came from.
    package var validators: Validators
}

/// What a source says about a document, by which a later request asks whether it changed.
package struct Validators: Sendable, Equatable {
    /// The entity tag as the source wrote it.
    package var etag: String?

    /// The source's own string, sent back as it is.
    package var lastModified: String?

    package init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
    }
}

/// Reads and changes the table of sources.
struct SourceTable {
    /// - Returns: The sources in the order in which they were added.
    static func all(on connection: borrowing Connection) throws(SQLiteError) -> [Source] {
        var statement = try Statement(
            "SELECT id, name, kind, location, options, allows_plain_http, etag, last_modified FROM source WHERE NOT is_removed ORDER BY id",
            on: connection)
        var sources: [Source] = []
        try statement.forEachRow([]) { (row) throws(SQLiteError) in
            sources.append(
                Source(
                    id: row.integer(at: 0), name: row.text(at: 1), kind: row.text(at: 2), location: row.text(at: 3),
                    options: row.text(at: 4), allowsPlainHTTP: row.bool(at: 5),
                    validators: Validators(etag: row.textOrNull(at: 6), lastModified: row.textOrNull(at: 7))))
        }
        return sources
    }

    static func named(_ name: String, on connection: borrowing Connection) throws(SQLiteError) -> Source? {
        try all(on: connection).first { $0.name == name }
    }

    static func insert(
        name: String, kind: String, location: String, options: String, allowsPlainHTTP: Bool,
        on connection: borrowing Connection
    ) throws(SQLiteError) {
        // A source that was removed keeps its row, since its books keep theirs; of the same name it is the same again.
        try connection.run(
            """
            INSERT INTO source (name, kind, location, options, allows_plain_http) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, location = excluded.location,
                options = excluded.options, allows_plain_http = excluded.allows_plain_http, etag = NULL,
                last_modified = NULL, is_removed = 0
            """,
            .text(name), .text(kind), .text(location), .text(options), .bool(allowsPlainHTTP))
    }

    static func setValidators(
        _ validators: Validators, of source: Int64, on connection: borrowing Connection
    ) throws(SQLiteError) {
        try connection.run(
            """
            UPDATE source SET etag = ?2, last_modified = ?3
            WHERE id = ?1 AND (etag IS NOT ?2 OR last_modified IS NOT ?3)
            """,
            .integer(source), .text(orNull: validators.etag), .text(orNull: validators.lastModified))
    }
}
