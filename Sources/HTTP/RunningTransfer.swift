internal import CCurl
internal import Digest

/// A transfer as its driver knows it: over all its attempts and redirects.
///
/// Confined to the thread of the driver.
final class RunningTransfer {
    let id: UInt64
    let request: TransferRequest
    let receiver: any TransferReceiver

    /// Where the present hop goes.
    private(set) var url: String
    private(set) var redirectCount = 0
    private var isAtOrigin = true
    var failedAttemptCount = 0

    /// Set while libcurl works on it.
    private var easy: EasyHandle?

    private(set) var response = ResponseParser()
    private(set) var hasHandedOutHead = false
    private var bodyByteCount: Int64 = 0
    private var discardedByteCount = 0

    /// What came of the body and isn't handed out yet.
    private var gathered: [UInt8] = []

    /// What a callback decided, which outranks the code that libcurl ends with.
    private(set) var failure: HTTPError?

    private let clock = SuspendingClock()
    private var startedAt: SuspendingClock.Instant
    private var progressedAt: SuspendingClock.Instant
    private var isConnected = false

    /// When the next attempt may start.
    var notBefore: SuspendingClock.Instant?

    /// Of a body that nobody wants, as much is read to keep the connection.
    private static var maximumDiscardedByteCount: Int { 64 << 10 }

    /// Bytes of a body are handed out so many at a time while more are there to be read.
    private static var gatheredByteCount: Int { 128 << 10 }

    init(_ submission: TransferQueue.Submission) {
        id = submission.id
        request = submission.request
        receiver = submission.receiver
        url = submission.request.url
        startedAt = clock.now
        progressedAt = startedAt
    }

    // MARK: - Attempts

    /// Makes ready for libcurl what the next hop needs.
    ///
    /// - Throws: What keeps it from being sent; no handle is there then.
    func prepare(userAgent: String) throws(HTTPError) {
        failure = nil
        response = ResponseParser()
        discardedByteCount = 0
        gathered = []
        isConnected = false
        if redirectCount == 0 {
            try RedirectPolicy.checkStart(url, allowsPlainHTTP: request.allowsPlainHTTP)
            if URLReference.scheme(url) == "file" { try RegularFile.check(url) }
        }
        var easy = try EasyHandle(
            request, url: url, isAtOrigin: isAtOrigin, isRetry: failedAttemptCount > 0, userAgent: userAgent)
        unsafe easy.connect(
            body: { bytes, size, count, context in
                unsafe RunningTransfer.withTransfer(context, bytes, size * count) { $0.takeBody($1) }
            },
            header: { bytes, size, count, context in
                unsafe RunningTransfer.withTransfer(context, bytes, size * count) { $0.takeHeaderLine($1) }
            },
            context: Unmanaged.passUnretained(self).toOpaque())
        self.easy = consume easy
        startedAt = clock.now
        progressedAt = startedAt
    }

    /// The handle of the present hop, as libcurl takes it; valid until ``endHop()``.
    @unsafe var pointer: UnsafeMutableRawPointer? { unsafe easy?.pointer }

    /// What libcurl says about the present hop beyond its code.
    var detail: String { easy?.detail ?? "" }

    /// The public key that the server of the present hop showed, as `sha256//BASE64`, where that is known.
    var shownKey: String? { easy?.certificate.flatMap { CertificateKey.pin(ofPEM: $0) } }

    /// Lets go of the handle, which libcurl must have let go of before.
    func endHop() {
        easy = nil
    }

    /// Goes where the response points.
    ///
    /// - Throws: ``HTTPError/refusedRedirect(reason:)`` or ``HTTPError/plainHTTPRefused(reason:)``.
    func follow(_ location: String) throws(HTTPError) {
        guard request.method == .get || request.method == .head else {
            throw .refusedRedirect(
                reason: "\(URLReference.place(url)) redirects what was sent to it, which is for nobody else")
        }
        let target = try RedirectPolicy.target(
            of: location, from: url, followedCount: redirectCount, allowsPlainHTTP: request.allowsPlainHTTP)
        // Once away from home, always away: a stranger may not send the secrets on a detour back.
        if URLReference.origin(target) != URLReference.origin(request.url) { isAtOrigin = false }
        url = target
        redirectCount += 1
    }

    /// Goes back to where it began, for another attempt.
    func startOver() {
        url = request.url
        redirectCount = 0
        isAtOrigin = true
    }

    // MARK: - What comes

    /// What is done with a response.
    enum Disposition {
        case handOut
        case redirect(String)
        case refuse
    }

    var disposition: Disposition {
        if URLReference.scheme(url) == "file" { return .handOut }
        if let location = response.redirect { return .redirect(location) }
        switch response.status {
        case 200...299, 304: return .handOut
        case 429: return .refuse
        case 400...499: return request.acceptsErrorResponses ? .handOut : .refuse
        default: return .refuse
        }
    }

    /// Whether the rest of the response was cut off because nobody wanted it.
    var wasDiscarded: Bool { discardedByteCount > Self.maximumDiscardedByteCount }

    /// Hands out the head, once.
    ///
    /// - Returns: Whether the transfer goes on.
    func handOutHead() -> Bool {
        guard !hasHandedOutHead else { return true }
        hasHandedOutHead = true
        let byteCount = response.isEncoded ? -1 : easy?.number(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) ?? -1
        if let maximum = request.maximumBodyByteCount, byteCount > maximum, request.method == .get {
            failure = tooLarge(maximum)
            return false
        }
        let head = ResponseHead(
            status: URLReference.scheme(url) == "file" ? 200 : response.status, fields: response.fields,
            effectiveURL: url, contentByteCount: byteCount >= 0 ? byteCount : nil, isEncoded: response.isEncoded)
        guard receiver.didReceive(head) == .goOn else {
            failure = .cancelled
            return false
        }
        return true
    }

    private func takeHeaderLine(_ line: Span<UInt8>) -> Bool {
        progressedAt = clock.now
        // What follows the body are trailers, which nobody asked for.
        guard !hasHandedOutHead else { return true }
        guard response.take(line) else {
            failure = .protocolBroken(reason: "\(URLReference.place(url)): header fields without end")
            return false
        }
        return true
    }

    private func takeBody(_ bytes: Span<UInt8>) -> Bool {
        progressedAt = clock.now
        guard case .handOut = disposition else {
            discardedByteCount += bytes.count
            return !wasDiscarded
        }
        guard handOutHead() else { return false }
        bodyByteCount += Int64(bytes.count)
        if let maximum = request.maximumBodyByteCount, bodyByteCount > maximum {
            failure = tooLarge(maximum)
            return false
        }
        unsafe bytes.withUnsafeBufferPointer { unsafe gathered.append(contentsOf: $0) }
        return gathered.count < Self.gatheredByteCount || handOutBody()
    }

    /// Hands out what was gathered of the body.
    ///
    /// libcurl brings 16 KiB at a time, however much there is; with each of them receivers would write, hash and wake readers.
    ///
    /// - Returns: Whether the transfer goes on.
    func handOutBody() -> Bool {
        guard !gathered.isEmpty else { return true }
        defer { gathered.removeAll(keepingCapacity: true) }
        guard receiver.didReceive(gathered.span) == .goOn else {
            failure = .cancelled
            return false
        }
        return true
    }

    private func tooLarge(_ maximum: Int64) -> HTTPError {
        .tooLarge(reason: "\(URLReference.place(url)) sends more than the \(maximum) bytes that are taken from it")
    }

    // MARK: - Time

    /// When to look at the transfer next, unless something happens before.
    var deadline: SuspendingClock.Instant {
        let stall = progressedAt + request.stallTimeout
        return request.totalTimeout.map { min(stall, startedAt + $0) } ?? stall
    }

    /// What is wrong with the transfer at `now`, if time has run out.
    func timeout(at now: SuspendingClock.Instant) -> HTTPError? {
        if let total = request.totalTimeout, now >= startedAt + total {
            return .timedOut(reason: "\(URLReference.place(url)) did not answer within \(total)")
        }
        guard now >= progressedAt + request.stallTimeout else { return nil }
        if !isConnected {
            // Until it is connected, libcurl's own limit holds; only then silence begins to count.
            let microseconds = easy?.number(CURLINFO_PRETRANSFER_TIME_T) ?? -1
            isConnected = microseconds > 0
            let connectedAt = isConnected ? startedAt + .microseconds(microseconds) : now
            progressedAt = max(progressedAt, connectedAt)
            guard now >= progressedAt + request.stallTimeout else { return nil }
        }
        return .timedOut(reason: "\(URLReference.place(url)) sent nothing for \(request.stallTimeout)")
    }

    // MARK: - C

    /// Calls `body` with the transfer and the bytes of a C callback.
    ///
    /// - Returns: What libcurl wants to hear: the count, or less to end the transfer.
    @unsafe private static func withTransfer(
        _ context: UnsafeMutableRawPointer?, _ bytes: UnsafeMutablePointer<CChar>?, _ byteCount: Int,
        _ body: (RunningTransfer, Span<UInt8>) -> Bool
    ) -> Int {
        guard let context = unsafe context, let bytes = unsafe bytes, byteCount > 0 else { return byteCount }
        let transfer = unsafe Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
        let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: byteCount)
        return unsafe body(transfer, buffer.assumingMemoryBound(to: UInt8.self).span) ? byteCount : 0
    }
}
