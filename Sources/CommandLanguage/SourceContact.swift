package import JSON

/// How the last contact with a source went.
package struct SourceContact: Hashable, Sendable {
    /// In nanoseconds since 1970, as all times here.
    package private(set) var at: Int64

    /// Since when it couldn't be reached; `nil` if it could.
    package private(set) var unreachableSince: Int64?

    /// A contact after another.
    package init(after former: SourceContact?, isUnreachable: Bool, at now: Int64) {
        at = now
        unreachableSince = isUnreachable ? former?.unreachableSince ?? now : nil
    }

    /// - Returns: `nil` if nothing is known.
    package init?(_ json: JSONValue?) {
        guard let at = json?["at"]?.integerValue else { return nil }
        self.at = at
        unreachableSince = json?["unreachableSince"]?.integerValue
    }

    package var json: JSONValue { ["at": .integer(at), "unreachableSince": JSONValue(unreachableSince)] }

    /// What two who had contact with a source know together.
    package func combined(with other: SourceContact?) -> SourceContact {
        guard let other else { return self }
        let (first, last) = at <= other.at ? (self, other) : (other, self)
        guard let since = last.unreachableSince else { return last }
        var combined = last
        // Since the first failure behind the last success.
        combined.unreachableSince = first.unreachableSince.map { min($0, since) } ?? max(first.at, since)
        return combined
    }

    /// Since when nothing is reached.
    ///
    /// - Parameter contacts: With every source that is on a network.
    /// - Returns: `nil` if some source could be reached, or nobody has tried.
    package static func offlineSince(_ contacts: some Collection<SourceContact>) -> Int64? {
        var since: Int64?
        for contact in contacts {
            guard let unreachableSince = contact.unreachableSince else { return nil }
            since = max(since ?? .min, unreachableSince)
        }
        return since
    }
}
