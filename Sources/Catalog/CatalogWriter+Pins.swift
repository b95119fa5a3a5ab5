internal import SQLite
package import Shelf

/// What a person wants to have on disk for good.
extension CatalogWriter {
    /// Pins books, and all that rules fit now and later.
    ///
    /// - Parameters:
    ///   - books: By number; one that doesn't exist is left out.
    ///   - rules: Kept until they are removed.
    /// - Throws: ``CatalogError``; nothing is changed then.
    package func pin(_ books: [BookID], rules: [PinRule]) throws(CatalogError) {
        try connection.write(wrapping: CatalogError.init) { () throws(CatalogError) in
            try translating { () throws(SQLiteError) in
                var add = try Statement(
                    "INSERT INTO pin_rule (kind, folded, name) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
                    on: connection)
                for rule in rules { try add.run([.text(rule.kind.rawValue), .text(rule.folded), .text(rule.name)]) }
                var forgive = try Statement("DELETE FROM pin_exception WHERE book = ?1", on: connection)
                var pin = try Statement(
                    """
                    INSERT INTO personal (book, is_pinned) SELECT id, 1 FROM book WHERE id = ?1
                    ON CONFLICT (book) DO UPDATE SET is_pinned = 1
                    """, on: connection)
                for book in books {
                    try forgive.run([.integer(book.rawValue)])
                    try pin.run([.integer(book.rawValue)])
                }
                try PinRules.apply(to: [1...Int64.max], on: connection)
            }
        }
    }

    /// Takes pins and rules away; content stays on disk until something else needs the room.
    ///
    /// - Parameters:
    ///   - books: By number. A rule that stays doesn't pin them again.
    ///   - rules: What isn't a rule is left out. ``PinRule/Kind/all`` means every rule, and every book: nothing is pinned then, nor
    ///     will be.
    /// - Returns: How many of the books were pinned.
    /// - Throws: ``CatalogError``; nothing is changed then.
    package func unpin(_ books: [BookID], rules: [PinRule]) throws(CatalogError) -> Int {
        try connection.write(wrapping: CatalogError.init) { () throws(CatalogError) in
            try translating { () throws(SQLiteError) in
                var remove = try Statement("DELETE FROM pin_rule WHERE kind = ?1 AND folded = ?2", on: connection)
                for rule in rules { try remove.run([.text(rule.kind.rawValue), .text(rule.folded)]) }
                let isAll = rules.contains { $0.kind == .all }
                if isAll { try connection.execute("DELETE FROM pin_rule") }
                let hasRules = try !PinRules(on: connection).isEmpty
                var unpin = try Statement(
                    "UPDATE personal SET is_pinned = 0 WHERE book = ?1 AND is_pinned", on: connection)
                var except = try Statement(
                    "INSERT INTO pin_exception (book) SELECT id FROM book WHERE id = ?1 ON CONFLICT DO NOTHING",
                    on: connection)
                var count = 0
                for book in books {
                    try unpin.run([.integer(book.rawValue)])
                    count += connection.changedRowCount
                    if hasRules { try except.run([.integer(book.rawValue)]) }
                }
                // One that no source lists now would come back pinned.
                if isAll { try connection.execute("UPDATE personal SET is_pinned = 0 WHERE is_pinned") }
                // Without a rule there is nothing to be left out of.
                if !hasRules { try connection.execute("DELETE FROM pin_exception") }
                return count
            }
        }
    }
}
