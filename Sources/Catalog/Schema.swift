/// The tables of a catalog, as the first migration makes them.
///
/// Times are seconds since 1970, but for directories, whose times are nanoseconds: two changes in one second have to be
/// told apart. Lists (authors, categories, contents) are packed into one column by ``PackedList``.
enum Schema {
    /// `BKSH`: by it file(1) and this program know the file.
    static var applicationID: Int32 { 0x424B_5348 }

    static var first: StaticString {
        """
        CREATE TABLE property (name TEXT PRIMARY KEY NOT NULL, value) WITHOUT ROWID;

        -- Where books come from. The validators belong to the books that stand in `book` now.
        CREATE TABLE source (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE,
            kind TEXT NOT NULL,
            location TEXT NOT NULL,
            options TEXT NOT NULL DEFAULT '{}',
            allows_plain_http INTEGER NOT NULL DEFAULT 0,
            etag TEXT,
            last_modified TEXT,
            is_removed INTEGER NOT NULL DEFAULT 0
        );

        -- What the sources state. `fingerprint` is a hash of all that a source states about a book.
        CREATE TABLE book (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            source INTEGER NOT NULL REFERENCES source(id),
            key TEXT NOT NULL,
            fingerprint INTEGER NOT NULL,
            title TEXT NOT NULL,
            title_sort TEXT,
            authors TEXT NOT NULL,
            categories TEXT NOT NULL,
            description TEXT,
            language TEXT,
            publisher TEXT,
            isbn TEXT,
            series TEXT,
            series_index REAL,
            contents TEXT,
            cover_url TEXT,
            store_url TEXT,
            is_purchased INTEGER NOT NULL,
            is_sample INTEGER NOT NULL,
            purchased_at INTEGER,
            updated_at INTEGER NOT NULL,
            is_revoked INTEGER NOT NULL DEFAULT 0
        );

        -- What is the reader's own: no sync overwrites it.
        CREATE TABLE personal (
            book INTEGER PRIMARY KEY REFERENCES book(id),
            last_read_at INTEGER,
            is_pinned INTEGER NOT NULL DEFAULT 0
        );

        -- The identity of the bytes of a book. One version of a book is current; a superseded one keeps its row until
        -- nobody holds it open.
        CREATE TABLE version (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            book INTEGER NOT NULL REFERENCES book(id),
            url TEXT NOT NULL,
            media_type TEXT,
            byte_count INTEGER,
            declared_byte_count INTEGER,
            is_confirmed INTEGER NOT NULL DEFAULT 0,
            sha256 BLOB,
            etag TEXT,
            modified_at INTEGER,
            first_seen_at INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            superseded_at INTEGER
        );
        CREATE INDEX version_superseded ON version(id) WHERE superseded_at IS NOT NULL;
        CREATE INDEX version_unsized ON version(id) WHERE byte_count IS NULL;

        -- The tree as data. Row 0 of `directory` is the root.
        CREATE TABLE directory (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            parent INTEGER NOT NULL,
            name TEXT NOT NULL,
            folded TEXT NOT NULL,
            facet TEXT NOT NULL,
            modified_at INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            next_position INTEGER NOT NULL DEFAULT 1,
            entry_count INTEGER NOT NULL DEFAULT 0,
            UNIQUE (parent, folded)
        );
        CREATE INDEX directory_facet ON directory(parent, facet);

        -- `position` grows within a directory and is never used again: it orders the listing and is its cookie.
        CREATE TABLE dentry (
            directory INTEGER NOT NULL,
            position INTEGER NOT NULL,
            name TEXT NOT NULL,
            folded TEXT NOT NULL,
            book INTEGER NOT NULL,
            version INTEGER NOT NULL,
            PRIMARY KEY (directory, position)
        ) WITHOUT ROWID;

        -- What changed, for all who follow the catalog; the sequence is the sync anchor.
        CREATE TABLE change (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            what INTEGER NOT NULL,
            directory INTEGER,
            name TEXT,
            target INTEGER,
            former INTEGER
        );

        CREATE TABLE annotation (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            book INTEGER NOT NULL REFERENCES book(id),
            kind TEXT NOT NULL,
            value TEXT,
            changed_at INTEGER NOT NULL,
            UNIQUE (book, kind)
        );
        CREATE TABLE outbox (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            book INTEGER REFERENCES book(id),
            kind TEXT NOT NULL,
            body TEXT NOT NULL,
            queued_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            last_error TEXT
        );
        CREATE TABLE purchase (
            book INTEGER PRIMARY KEY REFERENCES book(id),
            order_id TEXT,
            price TEXT,
            purchased_at INTEGER
        );
        CREATE TABLE setting (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            event TEXT NOT NULL,
            book INTEGER,
            detail TEXT
        );
        CREATE VIRTUAL TABLE book_text USING fts5(title, authors, description, content='');

        INSERT INTO directory (id, parent, name, folded, facet, modified_at, changed_at) VALUES (0, -1, '', '', '', 0, 0);
        INSERT INTO property VALUES ('shelf_byte_count', 0), ('shelf_file_count', 0), ('compacted_through', 0),
            ('sample_policy', ''), ('shows_samples', 1);
        """
    }

    /// What is pinned by rule, and the books that are left out of it.
    static var pins: StaticString {
        """
        CREATE TABLE pin_rule (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL,
            folded TEXT NOT NULL,
            name TEXT NOT NULL,
            UNIQUE (kind, folded)
        );
        CREATE TABLE pin_exception (book INTEGER PRIMARY KEY REFERENCES book(id));
        """
    }

    /// What is searched stands in a database of its own: see ``SearchIndexFile``.
    static var searchApart: StaticString { "DROP TABLE IF EXISTS book_text" }

    /// The directories of a directory, in the order in which they are listed.
    static var nestedDirectories: StaticString { "CREATE INDEX directory_child ON directory(parent, id)" }

    /// The indexes of what a sync writes for every book.
    ///
    /// Apart, because filling an empty catalog is twice as fast without them: they are then made in one go.
    static var bookIndexes: StaticString {
        """
        CREATE UNIQUE INDEX book_key ON book(source, key);
        CREATE UNIQUE INDEX version_current ON version(book) WHERE superseded_at IS NULL;
        """
    }

    static var entryIndexes: StaticString {
        """
        CREATE UNIQUE INDEX dentry_name ON dentry(directory, folded);
        CREATE INDEX dentry_book ON dentry(book);
        """
    }
}
