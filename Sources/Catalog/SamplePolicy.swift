internal import SQLite

/// Whether samples that aren't purchased stand on the shelf.
package enum SamplePolicy: String, Sendable {
    /// Only while nothing is purchased.
    case auto
    case always
    case never

    func showsSamples(on connection: borrowing Connection) throws(SQLiteError) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto:
            try connection.number(
                "SELECT count(*) FROM (SELECT 1 FROM book WHERE is_purchased AND NOT is_revoked LIMIT 1)") == 0
        }
    }
}
