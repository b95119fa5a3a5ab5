internal import JSON
package import Log

extension Account.Tokens {
    /// The tokens in the address at which a browser ended: OPDS Authentication 1.0, the implicit flow of RFC 6749, section 4.2.2.
    ///
    /// - Parameters:
    ///   - address: As the person copied it.
    ///   - now: Seconds since 1970.
    /// - Throws: ``AccountError/malformed(reason:)``.
    package init(inAddress address: Secret, now: Int64) throws(AccountError) {
        let text = address.exposed
        guard let mark = text.firstIndex(where: { $0 == "#" || $0 == "?" }) else {
            throw .malformed(reason: "that is no address with a token in it")
        }
        let query = String(text[text.index(after: mark)...].map { $0 == "#" ? "&" : $0 })
        var json = JSONObject()
        for (name, value) in FormFields.parse(query) { json[name] = .string(value) }
        guard let tokens = Account.Tokens(.object(json), now: now) else {
            throw .malformed(reason: "that is no address with a token in it")
        }
        self = tokens
    }
}
