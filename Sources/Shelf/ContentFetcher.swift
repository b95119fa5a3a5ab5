/// Brings bytes of content from a source: the network part of materialising.
///
/// Implemented where transfers are, used by the content cache.
package protocol ContentFetcher: Sendable {
    /// Starts a transfer and returns at once.
    ///
    /// - Parameters:
    ///   - request: What to bring.
    ///   - receiver: Told what arrives, one call at a time, from a thread of the fetcher, never from within this call.
    ///     Kept alive until its ``ContentReceiver/didFinish(_:)``, which is called exactly once.
    /// - Returns: A handle by which the transfer can be given up.
    func fetch(_ request: ContentRequest, into receiver: any ContentReceiver) -> any ContentTransfer
}

/// What to bring of a content.
package struct ContentRequest: Sendable {
    package let version: ContentVersion

    /// Where to begin, in bytes; 0 for the whole.
    package let offset: Int64

    /// Where to end, in bytes, exclusive; `nil` for the end of the content.
    package let end: Int64?

    /// A strong validator of what is on disk already; with it, a source whose content has changed answers the whole.
    package let ifRange: String?

    /// Whether a reader waits for it; such requests go before others.
    package let isUrgent: Bool

    package init(
        version: ContentVersion, offset: Int64 = 0, end: Int64? = nil, ifRange: String? = nil, isUrgent: Bool = true
    ) {
        self.version = version
        self.offset = offset
        self.end = end
        self.ifRange = ifRange
        self.isUrgent = isUrgent
    }
}

/// What a source says before the first byte.
package struct ContentResponse: Sendable, Equatable {
    /// Where the bytes that follow begin; 0 for the whole, or for a part that begins there.
    package let offset: Int64

    /// Of the whole content, in bytes; `nil` where the source doesn't say.
    package let byteCount: Int64?

    /// The entity tag as the source wrote it, weak ones with their `W/`.
    package let etag: String?

    /// Without parameters, in lower case.
    package let mediaType: String?

    /// Whether the bytes came in an encoding that was taken off, so that places in them mean nothing to the source.
    package let isEncoded: Bool

    package init(
        offset: Int64, byteCount: Int64?, etag: String?, mediaType: String?, isEncoded: Bool = false
    ) {
        self.offset = offset
        self.byteCount = byteCount
        self.etag = etag
        self.mediaType = mediaType
        self.isEncoded = isEncoded
    }
}

/// Takes what a transfer brings.
package protocol ContentReceiver: AnyObject, Sendable {
    /// Takes what the source says before the first byte; called again, with everything received so far void, when the
    /// fetcher starts over.
    ///
    /// - Throws: To end the transfer with that error.
    func didReceive(_ response: ContentResponse) throws(ContentError)

    /// Takes the next bytes.
    ///
    /// - Throws: To end the transfer with that error.
    func didReceive(_ bytes: Span<UInt8>) throws(ContentError)

    /// Takes note that an attempt failed before anything came, and that the fetcher will try again.
    func willRetry(after error: ContentError)

    /// Takes the end, exactly once.
    func didFinish(_ outcome: Result<Void, ContentError>)
}

/// A transfer that can be given up.
package protocol ContentTransfer: Sendable {
    /// Ends the transfer soon, with ``ContentError/interrupted``; nothing happens if it has ended.
    func cancel()
}
