internal import Digest
internal import HTTP
internal import Log

/// A login in a browser of this machine: an authorisation code with proof of who asked for it, RFC 6749, 7636 and 8252.
package struct BrowserLogin: Sendable {
    private let server: TokenServer
    private let endpoint: String
    private let issuer: String?
    private let redirect: String
    private let verifier = Randomness.text(byteCount: 32)
    private let state = Randomness.text(byteCount: 16)

    /// - Parameters:
    ///   - server: Gives the tokens.
    ///   - endpoint: Where the browser goes.
    ///   - issuer: Whom an answer must be from, where it says so: RFC 9207.
    ///   - port: Of this machine, where the browser is sent back to.
    package init(_ server: TokenServer, endpoint: String, issuer: String?, port: UInt16) {
        self.server = server
        self.endpoint = endpoint
        self.issuer = issuer
        redirect = "http://127.0.0.1:\(port)\(LoopbackPage.callbackPath)"
    }

    /// Where the browser goes; for nobody but the browser.
    var page: Secret {
        let challenge = DigestAlgorithm.sha256.bytes(of: Array(verifier.exposed.utf8)).base64URL
        var fields = [
            ("response_type", "code"), ("redirect_uri", redirect), ("state", state.exposed),
            ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        if let client = server.clientID { fields.append(("client_id", client)) }
        if let scope = server.scope { fields.append(("scope", scope)) }
        return Secret(FormFields(fields).appended(to: endpoint))
    }

    /// The code in what the browser came back with.
    ///
    /// - Parameter query: Of its address.
    /// - Returns: `nil` if it isn't the answer to this login.
    /// - Throws: ``AccountError`` if the answer is no.
    func code(in query: String) throws(AccountError) -> Secret? {
        let fields = FormFields.parse(query)
        guard let theirs = fields["state"], Secret(theirs) == state else { return nil }
        if let issuer, let theirs = fields["iss"], Array(theirs.utf8) != Array(issuer.utf8) {
            throw .malformed(
                reason: "the answer to the login came from somebody else than \(URLReference.place(issuer))")
        }
        if fields["error"] != nil {
            throw .refused(
                reason: fields["error"] == "access_denied" ? "the login was declined" : "the login was refused")
        }
        guard let code = fields["code"], !code.isEmpty else { return nil }
        return Secret(code)
    }

    /// Gets the tokens for a code.
    ///
    /// - Throws: ``AccountError``.
    func tokens(for code: Secret, _ client: TokenClient) throws(AccountError) -> Account.Tokens {
        try client.explained { () throws(TokenClient.Refusal) in
            try client.token(
                [
                    ("grant_type", "authorization_code"), ("code", code.exposed), ("redirect_uri", redirect),
                    ("code_verifier", verifier.exposed),
                ], at: server.tokenEndpoint)
        }
    }
}

extension BrowserLogin {
    /// Waits until the browser comes back, and gets the tokens.
    ///
    /// - Parameters:
    ///   - page: Of this machine, to which the browser goes first and comes back.
    ///   - client: Of the same server.
    ///   - limit: How long the person may take.
    ///   - isCancelled: Asked several times a second; `true` gives the login up.
    /// - Returns: The tokens.
    /// - Throws: ``AccountError``.
    package func tokens(
        by page: LoopbackPage, _ client: TokenClient, atMost limit: Duration, isCancelled: () -> Bool
    ) throws(AccountError) -> Account.Tokens {
        let code = try page.serve(self.page, atMost: limit, isCancelled: isCancelled) { (query) throws(AccountError) in
            try self.code(in: query)
        }
        return try tokens(for: code, client)
    }
}
