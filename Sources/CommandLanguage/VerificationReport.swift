package import JSON
package import Shelf

/// What `verify` has found, as the driver tells it and the command prints it.
package struct VerificationReport: Hashable, Sendable {
    /// A content that wasn't what it should be.
    package struct Damage: Hashable, Sendable {
        package let book: BookID?

        /// Relative to the mount; `nil` for what stands there no more.
        package let path: String?
        package let reason: String

        /// Why it could not be fetched again.
        package let failure: String?
    }

    package var checkedCount: Int
    package var damaged: [Damage]
    package var repairedCount: Int

    /// How many contents the catalog didn't know, which were removed.
    package var unknownCount: Int

    /// Why not everything could be looked at.
    package var failure: String?

    /// Reads what crossed from the driver.
    package init(_ json: JSONValue) {
        func number(_ name: String) -> Int { json[name]?.integerValue.flatMap { Int(exactly: $0) } ?? 0 }
        checkedCount = number("checked")
        repairedCount = number("repaired")
        unknownCount = number("unknown")
        failure = json["failure"]?.stringValue
        damaged = (json["damaged"]?.arrayValue ?? []).map { damage in
            Damage(
                book: damage["id"]?.integerValue.map { BookID(rawValue: $0) }, path: damage["path"]?.stringValue,
                reason: damage["reason"]?.stringValue ?? "", failure: damage["failure"]?.stringValue)
        }
    }

    /// As `verify --json` prints it.
    package var json: JSONValue {
        [
            "checked": JSONValue(checkedCount),
            "damaged": .array(
                damaged.map {
                    ["id": JSONValue($0.book?.rawValue), "path": JSONValue($0.path), "reason": .string($0.reason)]
                }),
            "repaired": JSONValue(repairedCount),
        ]
    }

    /// For people: what was damaged, and what was found beside.
    package var lines: [String] {
        var lines = damaged.map { damage in
            let subject = damage.path ?? damage.book.map { "book \($0.rawValue)" } ?? "a file"
            return "\(subject): \(damage.reason)" + (damage.failure.map { "; not fetched again: \($0)" } ?? "")
        }
        if unknownCount > 0 {
            lines.append("\(unknownCount) removed that belonged to no book of the catalog")
        }
        return lines
    }

    /// What became of it, in one line.
    package var summary: String {
        "\(checkedCount) checked, \(damaged.count) damaged, \(repairedCount) repaired"
    }

    /// Why the command fails; `nil` if all is well now.
    package var complaint: String? {
        if let failure { return failure }
        let left = damaged.count - repairedCount
        guard left > 0 else { return nil }
        if let reason = damaged.lazy.compactMap(\.failure).first {
            return "\(left) of \(damaged.count) damaged could not be fetched again: \(reason)"
        }
        return
            "\(left) damaged, and taken from this machine; each is fetched again when it is read, or now with: bookshelf fetch"
    }
}
