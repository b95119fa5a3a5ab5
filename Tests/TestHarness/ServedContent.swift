/// What ``FaultServer`` answers at a path, and how it misbehaves while doing so.
package struct ServedContent: Sendable {
    package var status = 200
    package var body: [UInt8]
    package var mediaType = "application/epub+zip"
    package var etag: String?
    package var lastModified: String?

    /// More header fields, in order.
    package var fields: [(name: String, value: String)] = []

    /// Whether a `Range` is answered with 206.
    package var hasRanges = true

    /// What a 206 says of its part instead of the truth.
    package var contentRange: String?

    /// Whether `If-Range` is ignored, as by a server that sends a part of whatever it has now.
    package var ignoresIfRange = false

    /// Sends this instead of a response, and closes the connection.
    package var rawAnswer: String?

    /// Whether HEAD is answered; 405 otherwise.
    package var takesHead = true

    /// The `Content-Length` that is claimed, if not the true one.
    package var claimedByteCount: Int?

    /// Sends the body in chunks, so that its length isn't known before.
    package var isChunked = false

    /// Holds the request back, before a byte of the answer, until ``FaultServer/release(_:)``.
    package var isHeld = false

    /// Sends so many bytes of the body and then nothing until ``FaultServer/release(_:)``.
    package var stallsAfter: Int?

    /// Sends so many bytes of the body and then resets the connection.
    package var resetsAfter: Int?

    /// Sends so many bytes of the body and then closes the connection.
    package var closesAfter: Int?

    package init(_ body: [UInt8] = []) {
        self.body = body
    }

    /// An answer without content.
    package static func status(_ status: Int, fields: [(name: String, value: String)] = []) -> ServedContent {
        var content = ServedContent(Array("status \(status)".utf8))
        content.status = status
        content.mediaType = "text/plain"
        content.fields = fields
        return content
    }

    package static func redirect(to url: String, status: Int = 302) -> ServedContent {
        .status(status, fields: [("Location", url)])
    }
}

/// A request that ``FaultServer`` got.
package struct ServedRequest: Sendable {
    package let method: String
    package let path: String

    /// By name in lower case.
    package let fields: [String: String]

    /// What was sent with it.
    package var body = ""

    /// Which of the connections it came by, the first being 1.
    package var connection = 0
}
