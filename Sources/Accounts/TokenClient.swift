internal import HTTP
internal import JSON
package import Log

/// Gets tokens from their server: RFC 6749, RFC 8628, RFC 7009.
package struct TokenClient {
    /// Why there is no token.
    enum Refusal: Error, Hashable {
        /// In the words of the protocol, for example `invalid_grant`.
        case refused(code: String)

        case failed(AccountError)
    }

    let server: TokenServer
    private let exchange: SmallExchange

    /// Seconds since 1970.
    private let now: @Sendable () -> Int64

    package init(_ server: TokenServer, _ exchange: SmallExchange, now: @escaping @Sendable () -> Int64) {
        self.server = server
        self.exchange = exchange
        self.now = now
    }

    /// Renews tokens.
    ///
    /// - Returns: With the old refresh token where the server gives no new one.
    func refresh(_ token: Secret) throws(Refusal) -> Account.Tokens {
        var tokens = try self.token(
            [("grant_type", "refresh_token"), ("refresh_token", token.exposed)],
            at: server.refreshEndpoint ?? server.tokenEndpoint)
        if tokens.refresh == nil { tokens.refresh = token }
        return tokens
    }

    /// Logs in by user name and password, where the server takes them for a token.
    ///
    /// - Throws: ``AccountError``.
    package func tokens(user: String, password: Secret) throws(AccountError) -> Account.Tokens {
        try explained { () throws(Refusal) in
            try token(
                [("grant_type", "password"), ("username", user), ("password", password.exposed)],
                at: server.tokenEndpoint)
        }
    }

    /// Has the server forget a token; nothing happens where it can't.
    package func revoke(_ token: Secret) {
        guard let url = server.revocationEndpoint else { return }
        _ = try? ask([("token", token.exposed), ("token_type_hint", "refresh_token")], at: url)
    }

    /// Asks for a token.
    func token(_ fields: [(String, String)], at url: String) throws(Refusal) -> Account.Tokens {
        let answer = try ask(fields, at: url)
        guard let tokens = Account.Tokens(answer, now: now()) else {
            throw .failed(.malformed(reason: "\(URLReference.place(url)) answered without a token"))
        }
        return tokens
    }

    /// Posts a form.
    ///
    /// - Returns: The answer of a status of 2xx.
    func ask(_ fields: [(String, String)], at url: String) throws(Refusal) -> JSONValue {
        var fields = fields
        if let client = server.clientID { fields.append(("client_id", client)) }
        let form = FormFields(fields).bytes
        let answer: SmallExchange.Answer
        do throws(HTTPError) {
            answer = try exchange.ask(url) { request in
                request.method = .post
                request.body = form
            }
        } catch {
            throw .failed(AccountError(error))
        }
        if (200...299).contains(answer.status) { return answer.json }
        if let code = answer.json["error"]?.stringValue { throw .refused(code: Self.word(code)) }
        if answer.status == 401 { throw .refused(code: "invalid_client") }
        throw .failed(.malformed(reason: "\(URLReference.place(url)) answered with status \(answer.status)"))
    }

    /// Runs a request whose refusal is for the person to read.
    func explained<Success>(_ body: () throws(Refusal) -> Success) throws(AccountError) -> Success {
        do throws(Refusal) { return try body() } catch {
            switch error {
            case .failed(let error): throw error
            case .refused(let code): throw .refused(reason: explanation(of: code))
            }
        }
    }

    /// What a code of RFC 6749, section 5.2, or RFC 8628, section 3.5, means.
    func explanation(of code: String) -> String {
        let place = URLReference.place(server.tokenEndpoint)
        return switch code {
        case "access_denied": "the login was declined"
        case "expired_token": "the code wasn't entered in time"
        case "invalid_grant": "\(place) doesn't accept the login (invalid_grant)"
        default: "\(place) refuses the login (\(code))"
        }
    }

    /// A code as the protocol may have one; what else a server writes there isn't repeated.
    private static func word(_ code: String) -> String {
        let isWord =
            code.utf8.count <= 40 && code.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (0x61...0x7A).contains($0) }
        return isWord ? code : "unknown_error"
    }
}

extension Account.Tokens {
    /// Longer than any token should hold, in seconds; the number is the server's.
    private static var longestLife: Int64 { 10 * 365 * 86_400 }

    /// What a server answered: RFC 6749, section 5.1.
    ///
    /// - Returns: `nil` if it can't be used.
    init?(_ json: JSONValue, now: Int64) {
        guard let access = json["access_token"]?.stringValue, Self.isToken(access),
            json["token_type"]?.stringValue?.lowercased() ?? "bearer" == "bearer"
        else { return nil }
        let refresh = json["refresh_token"]?.stringValue
        let life = json["expires_in"]?.integerValue ?? json["expires_in"]?.stringValue.flatMap { Int64($0) }
        let bounded = life.map { min(max(0, $0), Self.longestLife) }
        self.init(
            access: Secret(access), refresh: refresh.flatMap { $0.isEmpty ? nil : Secret($0) },
            expiresAt: bounded.map { now + $0 }, life: bounded)
    }

    /// Whether it may stand in a header field: RFC 6750, section 2.1.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 16_384 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
