internal import CCurl

/// libcurl made ready for this process, for as long as the object lives.
///
/// The composition root makes one before it starts threads, and hands it to whatever transfers.
///
/// libcurl: curl_global_init(3), which counts its callers.
package final class CurlLibrary: Sendable {
    /// Traps when libcurl can't be made ready, which is when memory ends.
    package init() {
        let code = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        precondition(code == CURLE_OK, "libcurl can't be made ready")
    }

    deinit {
        curl_global_cleanup()
    }
}
