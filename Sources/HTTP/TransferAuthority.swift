/// Whom to be towards a server, and which server to believe.
package struct Authorisation: Sendable, Hashable {
    /// For the origin of the request alone.
    package var credentials: Credentials?

    /// What the server wants to see beside them, at its origin alone.
    package var fields: [TransferRequest.Field] = []

    /// Public keys of which the server must have one, as `sha256//BASE64`; empty to trust any valid certificate.
    package var pinnedPublicKeys: [String] = []

    package init(
        credentials: Credentials? = nil, fields: [TransferRequest.Field] = [], pinnedPublicKeys: [String] = []
    ) {
        self.credentials = credentials
        self.fields = fields
        self.pinnedPublicKeys = pinnedPublicKeys
    }

    /// Whether another one may be had when a server refuses it: a token ends, a password doesn't.
    var mayBeRenewed: Bool {
        if case .bearer = credentials { true } else { false }
    }
}

/// Knows whom to be towards the servers of a group of transfers, which is a source.
package protocol TransferAuthority: Sendable {
    /// Finds out whom to be for a request; never waits.
    ///
    /// - Parameters:
    ///   - url: Where the request goes.
    ///   - group: Of the request.
    ///   - refused: What the server has refused with 401, so that another one is wanted.
    ///   - completion: Called exactly once, from within this call or later from any thread.
    func authorise(
        _ url: String, of group: String, refused: Authorisation?,
        _ completion: @escaping @Sendable (Result<Authorisation, HTTPError>) -> Void)

    /// Takes note that a server knew who asks, and forbade it: 403. Never waits.
    func noteForbidden(_ url: String, of group: String)
}

extension TransferRequest {
    mutating func apply(_ authorisation: Authorisation) {
        credentials = authorisation.credentials
        fields += authorisation.fields
        pinnedPublicKeys = authorisation.pinnedPublicKeys
    }
}
