package import Log

/// How a source knows the person.
package struct Account: Sendable, Equatable {
    /// What opens a server of OAuth 2: RFC 6749, section 5.1.
    package struct Tokens: Sendable, Equatable {
        package var access: Secret

        /// By which another one is had when it has run out; `nil` where the server gives none.
        package var refresh: Secret?

        /// In seconds since 1970; `nil` where the server doesn't say.
        package var expiresAt: Int64?

        /// How long it held when it was made, in seconds.
        package var life: Int64?

        package init(access: Secret, refresh: Secret? = nil, expiresAt: Int64? = nil, life: Int64? = nil) {
            self.access = access
            self.refresh = refresh
            self.expiresAt = expiresAt
            self.life = life
        }

        /// How long before its end it isn't used any more, in seconds: thirty, or half of a life that is short.
        var margin: Int64 { min(30, (life ?? 60) / 2) }
    }

    /// How the person is called, which is no secret: the user name, or what the store says.
    package var user: String?

    /// Scheme, host and port of the server that may be told, in canonical form.
    package var origin: String

    package var password: Secret?
    package var tokens: Tokens?

    /// Where tokens come from.
    package var server: TokenServer?

    /// Where the store says what may be done, and keeps its devices.
    package var store = StoreEndpoints()

    /// The device as the store knows it, and what the store gave it.
    package var device: String?
    package var deviceToken: Secret?

    /// Why a person has to log in; `nil` while that isn't so.
    package var loginNeeded: String?

    /// Grows with each change, so that who has an older state doesn't write over a newer one.
    package var generation: Int64 = 0

    package init(user: String? = nil, origin: String) {
        self.user = user
        self.origin = origin
    }

    /// An account by user name and password.
    package init(user: String, password: Secret, origin: String) {
        self.init(user: user, origin: origin)
        self.password = password
    }

    /// Whether there is anything to be logged in with.
    package var isLoggedIn: Bool { loginNeeded == nil && (password != nil || tokens != nil || isInKeyring) }

    /// Whether its secrets are in the keyring and not here.
    package var isInKeyring = false
}

/// The server that gives tokens.
package struct TokenServer: Sendable, Equatable {
    package var clientID: String?
    package var scope: String?

    /// Absolute, as all its places.
    package var tokenEndpoint: String

    /// Where a refresh goes, if that is elsewhere.
    package var refreshEndpoint: String?
    package var revocationEndpoint: String?

    /// Whether plain http may go to other hosts than this one.
    package var allowsPlainHTTP: Bool

    package init(tokenEndpoint: String, clientID: String? = nil, scope: String? = nil, allowsPlainHTTP: Bool = false) {
        self.tokenEndpoint = tokenEndpoint
        self.clientID = clientID
        self.scope = scope
        self.allowsPlainHTTP = allowsPlainHTTP
    }
}

/// What a store has for those who are logged in; absolute URLs at the origin of its catalog.
package struct StoreEndpoints: Sendable, Equatable {
    package var devices: String?
    package var permissions: String?

    package init(devices: String? = nil, permissions: String? = nil) {
        self.devices = devices
        self.permissions = permissions
    }
}
