internal import CCurl

/// One request as libcurl makes it.
///
/// Redirects aren't libcurl's to follow here: each hop is a handle of its own, after ``RedirectPolicy`` has looked at it.
///
/// libcurl: curl_easy_setopt(3).
@safe struct EasyHandle: ~Copyable {
    /// Valid from init to deinit, and used on one thread.
    let pointer: UnsafeMutableRawPointer

    private let errorText: UnsafeMutablePointer<CChar>

    /// Owned; libcurl reads it during the transfer.
    private var fields: UnsafeMutablePointer<curl_slist>?

    private var firstFailure = CURLE_OK

    init() {
        guard let pointer = unsafe curl_easy_init() else { preconditionFailure("libcurl has no memory for a transfer") }
        unsafe self.pointer = pointer
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe fields = nil
        unsafe note(bookshelf_curl_set_buffer(pointer, CURLOPT_ERRORBUFFER, errorText))
        set(CURLOPT_NOSIGNAL, to: 1)
        // The 16 KiB that libcurl takes otherwise cost a call of the system each, and with a fast source a wake-up.
        set(CURLOPT_BUFFERSIZE, to: 128 << 10)
        // A name that resolves slowly must not hold the loop when its transfer is given up.
        set(CURLOPT_QUICK_EXIT, to: 1)
    }

    deinit {
        unsafe curl_easy_cleanup(pointer)
        unsafe curl_slist_free_all(fields)
        unsafe errorText.deallocate()
    }

    /// What libcurl says beyond its code; empty where it has nothing to say.
    var detail: String { unsafe String(validatingCString: errorText) ?? "" }

    /// Whether libcurl took every setting.
    var isSetUp: Bool { firstFailure == CURLE_OK }

    mutating func set(_ option: CURLoption, to value: Int) {
        unsafe note(bookshelf_curl_set_long(pointer, option, value))
    }

    mutating func set(_ option: CURLoption, to value: String) {
        unsafe note(bookshelf_curl_set_string(pointer, option, value))
    }

    mutating func set(_ option: CURLoption, to value: Duration) {
        let parts = value.components
        let milliseconds = parts.seconds * 1_000 + parts.attoseconds / 1_000_000_000_000_000
        // 0 would mean libcurl's own default.
        set(option, to: Int(max(1, min(milliseconds, 1 << 30))))
    }

    /// Sets what a POST sends, which libcurl copies.
    mutating func setBody(_ bytes: [UInt8]) {
        set(CURLOPT_POSTFIELDSIZE, to: bytes.count)
        let pointer = unsafe pointer
        let code = unsafe bytes.withUnsafeBytes { unsafe bookshelf_curl_set_body(pointer, $0.baseAddress) }
        note(code)
    }

    /// The certificate that the server showed, in PEM; `nil` unless `CURLOPT_CERTINFO` was set and there was one.
    var certificate: String? {
        guard let line = unsafe bookshelf_curl_get_certificate(pointer) else { return nil }
        return unsafe String(validatingCString: line)
    }

    mutating func addField(_ name: String, _ value: String) {
        // "NAME;" is how libcurl spells a field without a value.
        let list = unsafe curl_slist_append(fields, value.isEmpty ? "\(name);" : "\(name): \(value)")
        guard let list = unsafe list else {
            firstFailure = CURLE_OUT_OF_MEMORY
            return
        }
        unsafe fields = list
    }

    /// Puts the fields that were added into force, and hands what comes to `context`.
    @unsafe mutating func connect(
        body: bookshelf_curl_data_function, header: bookshelf_curl_data_function, context: UnsafeMutableRawPointer
    ) {
        unsafe note(bookshelf_curl_set_list(pointer, CURLOPT_HTTPHEADER, fields))
        unsafe note(bookshelf_curl_set_body_function(pointer, body, context))
        unsafe note(bookshelf_curl_set_header_function(pointer, header, context))
        unsafe note(bookshelf_curl_set_private(pointer, context))
    }

    /// A number that libcurl knows about the transfer; -1 where it doesn't.
    func number(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = -1
        guard unsafe bookshelf_curl_get_offset(pointer, info, &value) == CURLE_OK else { return -1 }
        return Int64(value)
    }

    private mutating func note(_ code: CURLcode) {
        if firstFailure == CURLE_OK { firstFailure = code }
    }
}
