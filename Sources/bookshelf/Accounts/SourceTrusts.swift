internal import Accounts
internal import Catalog
internal import HTTP
internal import Synchronization

/// What persons said about the servers of their sources, as the catalog has it.
///
/// Lock order: `trusts` is a leaf; the catalog is read without it.
final class SourceTrusts: Sendable {
    private let read: @Sendable () throws(CatalogError) -> [Source]
    private let trusts = Mutex<[String: SourceTrust]>([:])

    /// - Parameter read: The sources of the profile; called from any thread.
    init(_ read: @escaping @Sendable () throws(CatalogError) -> [Source]) {
        self.read = read
    }

    /// What is known of a source; one that wasn't there when it was looked last is looked for.
    func trust(in source: String) -> SourceTrust {
        if let trust = trusts.withLock({ $0[source] }) { return trust }
        reload()
        return trusts.withLock { $0[source] } ?? SourceTrust(origin: nil)
    }

    /// Reads the catalog again; while it can't be read, what was known holds.
    func reload() {
        guard let sources = try? read() else { return }
        var trusts: [String: SourceTrust] = [:]
        for source in sources { trusts[source.name] = source.trust }
        self.trusts.withLock { [trusts] in $0 = trusts }
    }
}

extension Source {
    /// What the person said about its server.
    var trust: SourceTrust {
        let isOnNetwork = ["http", "https"].contains(URLReference.scheme(location))
        return SourceTrust(
            origin: isOnNetwork ? URLReference.origin(location) : nil,
            pinnedPublicKeys: SourceOptions(self).pinnedPublicKeys)
    }
}
