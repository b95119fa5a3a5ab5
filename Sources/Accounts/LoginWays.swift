internal import HTTP
internal import JSON

/// How a server lets people log in, as it says itself.
package struct LoginWays: Sendable {
    /// By a token of OAuth 2.
    package struct OAuth: Sendable {
        package var server: TokenServer
        package var authorizationEndpoint: String?
        package var deviceEndpoint: String?
        package var issuer: String?
    }

    /// How the server calls itself; somebody else's words.
    package var name: String?
    package var oauth: OAuth?

    /// Takes user name and password for a token.
    package var passwordServer: TokenServer?

    /// A page that ends at an address with a token in it.
    package var implicitPage: String?

    /// Whether user name and password go with each request.
    package var takesPassword = false
    package var store = StoreEndpoints()

    /// Where a store says it: RFC 8615.
    private static var wellKnownPath: String { "/.well-known/bookshelf-store" }

    /// Asks the server of a catalog.
    ///
    /// - Parameters:
    ///   - catalog: Its absolute URL.
    ///   - exchange: Makes the requests.
    ///   - allowsPlainHTTP: Whether the server may send to plain http on other hosts than this one.
    /// - Throws: ``AccountError``.
    package init(
        of catalog: String, by exchange: SmallExchange, allowsPlainHTTP: Bool
    ) throws(AccountError) {
        let judge = EndpointJudge(catalog: catalog, allowsPlainHTTP: allowsPlainHTTP)
        do throws(HTTPError) {
            if let url = URLReference.resolve(Self.wellKnownPath, against: catalog) {
                let answer = try exchange.ask(url)
                if answer.status == 200, answer.json["version"] != nil {
                    try take(store: answer.json, judge.at(answer.head.effectiveURL))
                }
            }
            if oauth != nil { return }
            let answer = try exchange.ask(catalog)
            guard answer.status == 401 || answer.status == 403 else {
                // The catalog is for everybody; its books may not be.
                takesPassword = true
                return
            }
            if answer.json["authentication"]?.arrayValue != nil {
                try take(document: answer.json, judge.at(answer.head.effectiveURL))
            }
            for field in answer.head.fields where field.name == "www-authenticate" {
                let scheme = field.value.lowercased()
                if scheme.hasPrefix("basic") || scheme.hasPrefix("digest") { takesPassword = true }
            }
        } catch {
            throw AccountError(error)
        }
    }

    // MARK: - What a store says

    private mutating func take(store json: JSONValue, _ judge: EndpointJudge) throws(HTTPError) {
        name = json["name"]?.stringValue
        store = StoreEndpoints(
            devices: try judge.ownEndpoint(json["devices"]), permissions: try judge.ownEndpoint(json["permissions"]))
        guard let oauth = json["oauth"], let token = try judge.endpoint(oauth["token_endpoint"]) else { return }
        var server = TokenServer(
            tokenEndpoint: token, clientID: oauth["client_id"]?.stringValue, scope: oauth["scope"]?.stringValue,
            allowsPlainHTTP: judge.allowsPlainHTTP)
        server.revocationEndpoint = try judge.endpoint(oauth["revocation_endpoint"])
        let found = OAuth(
            server: server, authorizationEndpoint: try judge.endpoint(oauth["authorization_endpoint"]),
            deviceEndpoint: try judge.endpoint(oauth["device_authorization_endpoint"]),
            issuer: oauth["issuer"]?.stringValue)
        if found.authorizationEndpoint != nil || found.deviceEndpoint != nil { self.oauth = found }
    }

    // MARK: - What an OPDS server says

    /// OPDS Authentication 1.0 <https://drafts.opds.io/authentication-for-opds-1.0>.
    private mutating func take(document json: JSONValue, _ judge: EndpointJudge) throws(HTTPError) {
        name = json["title"]?.stringValue
        for way in json["authentication"]?.arrayValue ?? [] {
            let links = way["links"]?.arrayValue ?? []
            func link(_ relation: String) throws(HTTPError) -> String? {
                try judge.endpoint(links.first { $0["rel"]?.stringValue == relation }?["href"])
            }
            switch way["type"]?.stringValue {
            case "http://opds-spec.org/auth/basic": takesPassword = true
            case "http://opds-spec.org/auth/oauth/password":
                guard let token = try link("authenticate") else { continue }
                var server = TokenServer(tokenEndpoint: token, allowsPlainHTTP: judge.allowsPlainHTTP)
                server.refreshEndpoint = try link("refresh")
                passwordServer = server
            case "http://opds-spec.org/auth/oauth/implicit": implicitPage = try link("authenticate")
            default: continue
            }
        }
    }
}

/// Decides which places a server may name for a login.
private struct EndpointJudge {
    let catalog: String
    let allowsPlainHTTP: Bool

    /// Of the document that names them.
    private var base: String

    init(catalog: String, allowsPlainHTTP: Bool) {
        self.catalog = catalog
        self.allowsPlainHTTP = allowsPlainHTTP
        base = catalog
    }

    func at(_ base: String) -> EndpointJudge {
        var judge = self
        judge.base = base
        return judge
    }

    /// - Returns: `nil` where none is named.
    /// - Throws: ``HTTPError`` for one to which nothing may be sent.
    func endpoint(_ value: JSONValue?) throws(HTTPError) -> String? {
        guard let text = value?.stringValue else { return nil }
        guard let url = URLReference.resolve(text, against: base), ["http", "https"].contains(URLReference.scheme(url))
        else {
            throw .badURL(reason: "\(URLReference.place(catalog)) names something for the login that is no web address")
        }
        try RedirectPolicy.checkStart(url, allowsPlainHTTP: allowsPlainHTTP)
        // What runs on this machine is none of a distant server's business.
        guard !URLReference.isLoopback(url) || URLReference.isLoopback(catalog) else {
            throw .badURL(reason: "\(URLReference.place(catalog)) names a server of this machine for the login")
        }
        guard URLReference.scheme(catalog) != "https" || URLReference.scheme(url) == "https" else {
            throw .plainHTTPRefused(
                reason:
                    "\(URLReference.place(catalog)) names \(URLReference.place(url)) for the login, where anybody could listen"
            )
        }
        return url
    }

    /// One that has to be at the origin of the catalog, as the account's token goes there.
    func ownEndpoint(_ value: JSONValue?) throws(HTTPError) -> String? {
        guard let url = try endpoint(value) else { return nil }
        guard URLReference.origin(url) == URLReference.origin(catalog) else {
            throw .badURL(
                reason: "\(URLReference.place(catalog)) names \(URLReference.place(url)) for what it has to do itself")
        }
        return url
    }
}
