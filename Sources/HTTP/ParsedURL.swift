internal import CCurl

/// A URL taken apart.
///
/// libcurl: curl_url(3).
@safe struct ParsedURL: ~Copyable {
    /// Valid from init to deinit.
    private let handle: OpaquePointer

    /// - Returns: `nil` if `text` isn't an absolute URL.
    init?(_ text: String) {
        guard let handle = unsafe curl_url() else { return nil }
        guard unsafe curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK else {
            unsafe curl_url_cleanup(handle)
            return nil
        }
        unsafe self.handle = handle
    }

    deinit {
        unsafe curl_url_cleanup(handle)
    }

    /// Sets a part, or takes it away with `nil`; a relative ``CURLUPART_URL`` is resolved against what is there.
    ///
    /// - Returns: Whether it could be set; nothing has changed otherwise.
    mutating func set(_ part: CURLUPart, to value: String?) -> Bool {
        unsafe curl_url_set(handle, part, value, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK
    }

    /// A part as text, or `nil` where there is none.
    func get(_ part: CURLUPart, flags: Int32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(handle, part, &text, UInt32(flags)) == CURLUE_OK, let text = unsafe text else {
            return nil
        }
        defer { unsafe curl_free(text) }
        return unsafe String(validatingCString: text)
    }
}
