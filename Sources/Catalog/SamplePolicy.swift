internal import SQLite

/// Whether samples that aren't purchased stand on the shelf.
package enum SamplePolicy: String, Sendable {
    /// Only while nothing is purchased.
    case auto
    case always
    case never

    /// What this policy says of the catalog as it is now; may look at every book.
    func showsSamples(on connection: borrowing Connection) throws(SQLiteError) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto:
            try connection.number(
                "SELECT count(*) FROM (SELECT 1 FROM book WHERE is_purchased AND NOT is_revoked LIMIT 1)") == 0
        }
    }

    /// Whether this is the policy that the shelf was last brought in line with.
    func isApplied(on connection: borrowing Connection) throws(SQLiteError) -> Bool {
        try connection.number(
            "SELECT count(*) FROM property WHERE name = 'sample_policy' AND value = ?1", .text(rawValue)) == 1
    }

    /// Notes that the shelf is in line with this policy.
    ///
    /// - Parameters:
    ///   - areShown: Whether samples stand on the shelf by it.
    ///   - connection: With the write transaction open.
    /// - Throws: ``SQLiteError``.
    func noteApplied(areShown: Bool, on connection: borrowing Connection) throws(SQLiteError) {
        let isNoted = try isApplied(on: connection)
        let wereShown = try Self.areSamplesShown(on: connection)
        guard !isNoted || wereShown != areShown else { return }
        try connection.run("UPDATE property SET value = ?1 WHERE name = 'sample_policy'", .text(rawValue))
        try connection.run("UPDATE property SET value = ?1 WHERE name = 'shows_samples'", .bool(areShown))
    }

    /// Whether the samples whose size is known stand on the shelf now, whatever the policy is.
    static func areSamplesShown(on connection: borrowing Connection) throws(SQLiteError) -> Bool {
        try connection.number("SELECT value FROM property WHERE name = 'shows_samples'") != 0
    }
}
