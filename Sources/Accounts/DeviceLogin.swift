internal import HTTP
internal import JSON
internal import Log

/// A login in a browser of any device: RFC 8628.
package struct DeviceLogin: Sendable {
    /// What the person enters.
    package let userCode: String

    /// Where.
    package let place: String

    /// The same with the code in it, where the server has that.
    package let completePlace: String?
    private let deviceCode: Secret

    /// In seconds.
    private let life: Int64
    private let interval: Int64

    /// Asks the server for a code.
    ///
    /// - Throws: ``AccountError``.
    package init(_ client: TokenClient, at url: String) throws(AccountError) {
        let scope = client.server.scope.map { [("scope", $0)] } ?? []
        let json = try client.explained { () throws(TokenClient.Refusal) in try client.ask(scope, at: url) }
        guard let deviceCode = json["device_code"]?.stringValue, let userCode = json["user_code"]?.stringValue,
            let place = json["verification_uri"]?.stringValue ?? json["verification_url"]?.stringValue,
            !deviceCode.isEmpty, !userCode.isEmpty, userCode.utf8.count <= 64, Self.isWebPage(place)
        else {
            throw .malformed(reason: "\(URLReference.place(url)) answered without a code")
        }
        self.deviceCode = Secret(deviceCode)
        self.userCode = userCode
        self.place = place
        completePlace = json["verification_uri_complete"]?.stringValue.flatMap { Self.isWebPage($0) ? $0 : nil }
        life = min(max(json["expires_in"]?.integerValue ?? 900, 1), 3_600)
        interval = min(max(json["interval"]?.integerValue ?? 5, 1), 60)
    }

    private static func isWebPage(_ url: String) -> Bool {
        ["https", "http"].contains(URLReference.scheme(url)) && url.utf8.count <= 2_048
    }

    /// Asks for the token until the person has entered the code.
    ///
    /// - Parameters:
    ///   - client: Of the same server.
    ///   - wait: Lets so much time pass; `false` gives the login up.
    /// - Returns: The tokens.
    /// - Throws: ``AccountError``.
    package func tokens(
        _ client: TokenClient, wait: (Duration) -> Bool
    ) throws(AccountError) -> Account.Tokens {
        var interval = interval
        var waited: Int64 = 0
        while waited < life {
            guard wait(.seconds(interval)) else { throw .abandoned(reason: "the login was given up") }
            waited += interval
            do throws(TokenClient.Refusal) {
                return try client.token(
                    [
                        ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
                        ("device_code", deviceCode.exposed),
                    ], at: client.server.tokenEndpoint)
            } catch {
                switch error {
                case .refused("authorization_pending"): continue
                case .refused("slow_down"): interval += 5
                case .refused(let code): throw .refused(reason: client.explanation(of: code))
                // Section 3.5: less often, where the server can't be reached.
                case .failed(.unreachable), .failed(.busy): interval = min(interval * 2, 60)
                case .failed(let error): throw error
                }
            }
        }
        throw .abandoned(reason: client.explanation(of: "expired_token"))
    }
}
