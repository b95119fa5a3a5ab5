internal import Shelf

/// What a version says about how it may be fetched.
extension ContentVersion {
    /// Whether the source's own word on the size is an error if it differs.
    ///
    /// - Parameter etag: Of the response; a size that the source has confirmed for other bytes says nothing about these.
    /// - Returns: Whether it binds.
    func isSizeBinding(withETag etag: String?) -> Bool {
        sha256 != nil || (isByteCountBinding && etag != nil && etag == confirmedETag)
    }

    /// Whether only its beginning can tell the book from the page of a captive portal; none stands before a file.
    var mustLookLikeEPUB: Bool {
        sha256 == nil && mediaType == "application/epub+zip" && !url.hasPrefix("file:")
    }
}
