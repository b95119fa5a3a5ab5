/// What a person said about the servers of a source.
package struct SourceTrust: Sendable, Hashable {
    /// Scheme, host and port of the source in canonical form.
    package var origin: String?

    /// Keys of which the server at that origin must have one, as `sha256//BASE64`; empty to trust any valid certificate.
    package var pinnedPublicKeys: [String]

    package init(origin: String?, pinnedPublicKeys: [String] = []) {
        self.origin = origin
        self.pinnedPublicKeys = pinnedPublicKeys
    }
}
