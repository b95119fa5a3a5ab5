internal import JSON
internal import Log

/// An account as the file of secrets has it: what is secret apart from the rest, as that may be in a keyring.
extension Account {
    /// Everything but the secrets.
    var outline: JSONObject {
        var json = JSONObject()
        json["origin"] = .string(origin)
        json["user"] = user.map { .string($0) }
        json["loginNeeded"] = loginNeeded.map { .string($0) }
        json["generation"] = .integer(generation)
        json["device"] = device.map { .string($0) }
        json["devices"] = store.devices.map { .string($0) }
        json["permissions"] = store.permissions.map { .string($0) }
        guard let server else { return json }
        json["tokenEndpoint"] = .string(server.tokenEndpoint)
        json["refreshEndpoint"] = server.refreshEndpoint.map { .string($0) }
        json["revocationEndpoint"] = server.revocationEndpoint.map { .string($0) }
        json["clientID"] = server.clientID.map { .string($0) }
        json["scope"] = server.scope.map { .string($0) }
        json["allowsPlainHTTP"] = .boolean(server.allowsPlainHTTP)
        return json
    }

    var secrets: JSONObject {
        var json = JSONObject()
        json["password"] = password.map { .string($0.exposed) }
        json["accessToken"] = tokens.map { .string($0.access.exposed) }
        json["refreshToken"] = tokens?.refresh.map { .string($0.exposed) }
        json["expiresAt"] = tokens?.expiresAt.map { .integer($0) }
        json["expiresIn"] = tokens?.life.map { .integer($0) }
        json["deviceToken"] = deviceToken.map { .string($0.exposed) }
        return json
    }

    /// - Returns: `nil` if it isn't an account.
    init?(outline json: JSONValue) {
        guard let origin = json["origin"]?.stringValue else { return nil }
        self.init(user: json["user"]?.stringValue, origin: origin)
        loginNeeded = json["loginNeeded"]?.stringValue
        generation = json["generation"]?.integerValue ?? 0
        device = json["device"]?.stringValue
        store = StoreEndpoints(devices: json["devices"]?.stringValue, permissions: json["permissions"]?.stringValue)
        isInKeyring = json["keyring"]?.booleanValue ?? false
        guard let tokenEndpoint = json["tokenEndpoint"]?.stringValue else { return }
        var server = TokenServer(
            tokenEndpoint: tokenEndpoint, clientID: json["clientID"]?.stringValue, scope: json["scope"]?.stringValue,
            allowsPlainHTTP: json["allowsPlainHTTP"]?.booleanValue ?? false)
        server.refreshEndpoint = json["refreshEndpoint"]?.stringValue
        server.revocationEndpoint = json["revocationEndpoint"]?.stringValue
        self.server = server
    }

    mutating func take(secrets json: JSONValue) {
        password = json["password"]?.stringValue.map { Secret($0) }
        tokens = json["accessToken"]?.stringValue.map { access in
            Tokens(
                access: Secret(access), refresh: json["refreshToken"]?.stringValue.map { Secret($0) },
                expiresAt: json["expiresAt"]?.integerValue, life: json["expiresIn"]?.integerValue)
        }
        deviceToken = json["deviceToken"]?.stringValue.map { Secret($0) }
    }
}
