internal import HTTP
internal import JSON
package import Log

/// What a store has for those who are logged in: devices and permissions.
package struct StoreClient {
    private let exchange: SmallExchange

    package init(_ exchange: SmallExchange) {
        self.exchange = exchange
    }

    /// Makes the device known to the store.
    ///
    /// - Parameters:
    ///   - device: Who it is.
    ///   - client: Name and version of this program.
    ///   - account: Logged in.
    /// - Returns: What the store knows the device by from now on; `nil` where it keeps no devices.
    /// - Throws: ``AccountError``.
    package func register(
        _ device: DeviceIdentity, client: String, for account: Account
    ) throws(AccountError) -> Secret? {
        guard let url = account.store.devices else { return nil }
        let body: JSONValue = [
            "device": .string(device.identifier), "machine": JSONValue(device.machine), "system": "Linux",
            "client": .string(client),
        ]
        let answer = try ask(url, account) { request in
            request.method = .post
            request.body = body.encoded()
            request.fields.append(.init("Content-Type", "application/json"))
        }
        guard (200...299).contains(answer.status) else { throw Self.refusal(answer, url) }
        guard let token = answer.json["deviceToken"]?.stringValue, Self.isFieldValue(token) else {
            throw .malformed(reason: "\(URLReference.place(url)) gave the device no token")
        }
        return Secret(token)
    }

    /// Has the store forget the device; nothing happens where it can't.
    package func unregister(_ account: Account) {
        guard let url = account.store.devices, let device = account.device else { return }
        _ = try? ask("\(url)/\(device)", account) { $0.method = .delete }
    }

    /// Asks what the person may do.
    ///
    /// - Parameters:
    ///   - account: Logged in.
    ///   - now: Seconds since 1970.
    /// - Returns: `nil` where the store doesn't say.
    /// - Throws: ``AccountError``.
    package func permissions(of account: Account, now: Int64) throws(AccountError) -> Permissions? {
        guard let url = account.store.permissions else { return nil }
        let answer = try ask(url, account)
        guard (200...299).contains(answer.status) else { throw Self.refusal(answer, url) }
        guard let permissions = Permissions(answer.json, loadedAt: now) else {
            throw .malformed(reason: "\(URLReference.place(url)) answered without permissions")
        }
        return permissions
    }

    private func ask(
        _ url: String, _ account: Account, _ change: (inout TransferRequest) -> Void = { _ in }
    ) throws(AccountError) -> SmallExchange.Answer {
        do throws(HTTPError) {
            return try exchange.ask(url) { request in
                request.credentials = account.credentials
                request.fields = account.deviceFields
                change(&request)
            }
        } catch {
            throw AccountError(error)
        }
    }

    private static func refusal(_ answer: SmallExchange.Answer, _ url: String) -> AccountError {
        let place = URLReference.place(url)
        if answer.status == 409 {
            return .refused(
                reason: "\(place) has too many devices of this account already; take one away there, then log in again")
        }
        let words = answer.problem.map { ": “\($0)”" } ?? ""
        return .refused(reason: "\(place) answered with status \(answer.status)\(words)")
    }

    private static func isFieldValue(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 8_192 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

extension Account {
    /// As requests carry them; `nil` without secrets.
    var credentials: Credentials? {
        if let tokens { return .bearer(token: tokens.access.exposed) }
        return password.map { .password(user: user ?? "", password: $0.exposed) }
    }

    /// What a store wants to see beside a token.
    var deviceFields: [TransferRequest.Field] {
        guard tokens != nil else { return [] }
        return [("Bookshelf-Device", device), ("Bookshelf-Device-Token", deviceToken?.exposed)].compactMap {
            name, value in value.map { TransferRequest.Field(name, $0) }
        }
    }
}
