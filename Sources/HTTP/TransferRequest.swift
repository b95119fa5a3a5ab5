/// What to transfer, and within which bounds.
package struct TransferRequest: Sendable {
    package enum Method: Sendable, Hashable {
        case get

        /// For the header fields alone.
        case head

        /// Sends ``TransferRequest/body``; never repeated once it may have arrived, and never redirected.
        case post

        /// Never redirected.
        case delete
    }

    /// A header field of a request.
    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Absolute: `http`, `https`, `s3` or `file`, without user name and password.
    package var url: String
    package var method = Method.get

    /// What ``Method/post`` sends, as a form where ``fields`` name no other `Content-Type`.
    package var body: [UInt8] = []

    /// Beyond what the transfer sets itself; those that aren't about the content asked for stay with the origin of ``url``.
    package var fields: [Field] = []

    /// Whom to be, at the origin of ``url`` alone.
    package var credentials: Credentials?

    /// Transfers of a group, which is a source, share a bound on how many run at a time, and a server's wish to wait.
    package var group = ""

    /// Whether somebody waits for it; such requests go before others of their group.
    package var isUrgent = false

    /// Whether plain http may go to other hosts than this one.
    package var allowsPlainHTTP = false

    /// Whether the server may compress the body, which is then decompressed on arrival; for catalogs, never for content.
    package var allowsCompression = false

    /// Whether a response with a 4xx status is handed to the receiver instead of ending the transfer with
    /// ``HTTPError/status(_:reason:)``.
    package var acceptsErrorResponses = false

    /// Whether it tries again when the server can't be reached at all; other failures are tried again in any case.
    package var retriesUnreachable = true

    /// In bytes, decompressed; `nil` for no bound.
    package var maximumBodyByteCount: Int64?

    /// From asking for the name to being connected.
    package var connectTimeout: Duration = .seconds(15)

    /// Without a byte once connected.
    package var stallTimeout: Duration = .seconds(60)

    /// For one attempt, all of it; `nil` for no bound.
    package var totalTimeout: Duration?

    /// Public keys of which the server at the origin of ``url`` must have one, as `sha256//BASE64`; empty to trust any valid
    /// certificate.
    package var pinnedPublicKeys: [String] = []

    /// A file of certificates to trust instead of those of the system.
    package var certificateAuthorityFile: String?

    package init(url: String) {
        self.url = url
    }
}
