internal import Catalog
internal import CommandLanguage
internal import HTTP
internal import JSON

/// What is known of the sources that are on a network: from their syncs, and from the transfers of a driver.
struct NetworkContacts {
    private var contacts: [String: SourceContact] = [:]

    /// - Parameters:
    ///   - sources: Of the profile.
    ///   - journal: Of their syncs.
    ///   - driver: What a driver says of itself, if one runs.
    init(_ sources: [Source], _ journal: SyncJournal, _ driver: JSONValue?) {
        for source in sources {
            let synced = URLReference.isOnNetwork(source.location) ? journal.contact(with: source.name) : nil
            // A catalog in a file may name content on a network.
            let transferred = SourceContact(driver?["contacts"]?[source.name])
            contacts[source.name] = synced?.combined(with: transferred) ?? transferred
        }
    }

    /// Since when nothing is reached, in seconds since 1970; `nil` if something is, or nobody has tried.
    var offlineSince: Int64? { SourceContact.offlineSince(contacts.values).map { $0 / 1_000_000_000 } }
}
