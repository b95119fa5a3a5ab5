internal import CCurl
internal import Glibc

/// Drives libcurl on one thread: starts what may start, hands out what comes, watches the time.
///
/// Confined to its thread; others reach it through its queue.
///
/// libcurl: libcurl-multi(3).
@safe final class TransferDriver {
    struct Settings: Sendable {
        let userAgent: String
        let maximumRunningCount: Int
        let retryPolicy: RetryPolicy
        let objectStorage: ObjectStorage
    }

    private let queue: TransferQueue
    private let settings: Settings
    private let clock = SuspendingClock()

    private var groups: [String: TransferGroup] = [:]

    /// Those that libcurl works on.
    ///
    /// Invariant: each has a handle, which is in the multi handle, and is counted in its group.
    private var running: [UInt64: RunningTransfer] = [:]

    /// Those that wait for their next attempt.
    private var delayed: [RunningTransfer] = []

    init(_ queue: TransferQueue, _ settings: Settings) {
        self.queue = queue
        self.settings = settings
    }

    /// Works until the queue is closed; then ends what is left as cancelled.
    func run() {
        while step(atMost: .seconds(60)) {}
    }

    /// Does what there is to do, then waits for more.
    ///
    /// - Parameters:
    ///   - limit: How long to wait at most.
    ///   - isWaiting: Whether there is still something to wait for, asked before it waits.
    /// - Returns: Whether there may be another step; `false` once the queue is closed and everything has ended.
    func step(atMost limit: Duration, while isWaiting: () -> Bool = { true }) -> Bool {
        let news = queue.takeNews()
        for submission in news.submissions { enqueue(RunningTransfer(submission), isFirst: false) }
        for refusal in news.refusals { refusal.receiver.didFinish(.failure(refusal.error)) }
        for id in news.cancellations { give(up: id) }
        if news.isClosing {
            giveUpAll()
            return false
        }
        resumeDelayed()
        startWhatMay()
        var stillRunning: Int32 = 0
        unsafe curl_multi_perform(queue.multi, &stillRunning)
        handOutBodies()
        takeEnds()
        watchTime()
        // What has ended made room, and a receiver may have asked for more.
        startWhatMay()
        guard isWaiting() else { return true }
        let timeout = min(limit, timeUntilNext)
        let milliseconds = timeout.components.seconds * 1_000 + timeout.components.attoseconds / 1_000_000_000_000_000
        unsafe curl_multi_poll(queue.multi, nil, 0, Int32(clamping: milliseconds + 1), nil)
        return true
    }

    // MARK: - Beginning

    private func enqueue(_ transfer: RunningTransfer, isFirst: Bool) {
        groups[transfer.request.group, default: TransferGroup()].add(transfer, isFirst: isFirst)
    }

    private func resumeDelayed() {
        let now = clock.now
        let due = delayed.filter { $0.notBefore.map { $0 <= now } ?? true }
        guard !due.isEmpty else { return }
        delayed.removeAll { transfer in due.contains { $0 === transfer } }
        for transfer in due { enqueue(transfer, isFirst: true) }
    }

    private func startWhatMay() {
        let now = clock.now
        for name in Array(groups.keys) {
            while let transfer = groups[name]?.next(maximumRunningCount: settings.maximumRunningCount, now: now) {
                start(transfer)
            }
            if let group = groups[name], group.isIdle, group.runningCount == 0, group.notBefore == nil {
                groups[name] = nil
            }
        }
    }

    private func start(_ transfer: RunningTransfer) {
        do throws(HTTPError) {
            try transfer.prepare(userAgent: settings.userAgent)
        } catch {
            transfer.receiver.didFinish(.failure(error))
            return
        }
        guard let easy = unsafe transfer.pointer, unsafe curl_multi_add_handle(queue.multi, easy) == CURLM_OK else {
            transfer.endHop()
            transfer.receiver.didFinish(.failure(.badURL(reason: "libcurl refuses the transfer")))
            return
        }
        running[transfer.id] = transfer
        groups[transfer.request.group, default: TransferGroup()].runningCount += 1
    }

    // MARK: - Ending

    /// Takes a transfer out of libcurl's hands.
    private func stop(_ transfer: RunningTransfer) {
        guard running.removeValue(forKey: transfer.id) != nil else { return }
        groups[transfer.request.group]?.runningCount -= 1
        if let easy = unsafe transfer.pointer { unsafe curl_multi_remove_handle(queue.multi, easy) }
    }

    /// Hands out what has come, now that there is no more of it for the moment.
    private func handOutBodies() {
        for transfer in Array(running.values) where transfer.failure == nil && !transfer.handOutBody() {
            stop(transfer)
            transfer.endHop()
            transfer.receiver.didFinish(.failure(transfer.failure ?? .cancelled))
        }
    }

    private func takeEnds() {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(queue.multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle else {
                continue
            }
            let code = unsafe message.pointee.data.result
            var context: UnsafeMutableRawPointer?
            unsafe bookshelf_curl_get_private(easy, &context)
            guard let context = unsafe context else { continue }
            let transfer = unsafe Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
            takeEnd(of: transfer, code: code)
        }
    }

    private func takeEnd(of transfer: RunningTransfer, code: CURLcode) {
        // The head of a response without a body is still to be handed out, and needs the handle.
        var failure = transfer.failure
        let isAnswered = code == CURLE_OK || (transfer.response.isComplete && !transfer.hasHandedOutHead)
        if failure == nil, isAnswered, case .handOut = transfer.disposition, code == CURLE_OK, !transfer.handOutHead() {
            failure = transfer.failure
        }
        let detail = transfer.detail
        let shownKey = code == CURLE_SSL_PINNEDPUBKEYNOTMATCH ? transfer.shownKey : nil
        stop(transfer)
        defer { if running[transfer.id] == nil { transfer.endHop() } }
        if let failure {
            transfer.receiver.didFinish(.failure(failure))
            return
        }
        if isAnswered {
            switch transfer.disposition {
            case .redirect(let location):
                follow(location, transfer)
                return
            case .refuse:
                refuse(transfer)
                return
            case .handOut where code == CURLE_OK:
                transfer.receiver.didFinish(.success(()))
                return
            case .handOut: break
            }
        }
        let error = HTTPError(
            code: code, url: transfer.url, detail: detail, group: transfer.request.group, shownKey: shownKey)
        fail(transfer, error, retryAfter: nil)
    }

    private func follow(_ location: String, _ transfer: RunningTransfer) {
        do throws(HTTPError) {
            try transfer.follow(location)
        } catch {
            transfer.receiver.didFinish(.failure(error))
            return
        }
        transfer.endHop()
        start(transfer)
    }

    private func refuse(_ transfer: RunningTransfer) {
        let status = transfer.response.status
        let retryAfter = transfer.response.retryAfter(now: Int64(time(nil)))
        let place = URLReference.place(transfer.url)
        let error = HTTPError.status(status, reason: "\(place) answered with status \(status)")
        if let retryAfter, status == 429 || status == 503 {
            let pause = settings.retryPolicy.pause(retryAfter: retryAfter)
            groups[transfer.request.group]?.notBefore = clock.now + pause
        }
        fail(transfer, error, retryAfter: retryAfter)
    }

    /// Tries again later, or ends with the error.
    private func fail(_ transfer: RunningTransfer, _ error: HTTPError, retryAfter: Int64?) {
        transfer.failedAttemptCount += 1
        let delay = settings.retryPolicy.delay(
            afterFailedAttempts: transfer.failedAttemptCount, retryAfter: retryAfter)
        guard let delay, !transfer.hasHandedOutHead, error.mayPass, transfer.retries(error) else {
            transfer.receiver.didFinish(.failure(error))
            return
        }
        transfer.endHop()
        transfer.startOver()
        transfer.notBefore = clock.now + delay
        delayed.append(transfer)
        transfer.receiver.willRetry(after: error)
    }

    private func give(up id: UInt64) {
        let transfer: RunningTransfer?
        if let found = running[id] {
            stop(found)
            found.endHop()
            transfer = found
        } else if let index = delayed.firstIndex(where: { $0.id == id }) {
            transfer = delayed.remove(at: index)
        } else {
            transfer = removeWaiting(id)
        }
        transfer?.receiver.didFinish(.failure(.cancelled))
    }

    private func removeWaiting(_ id: UInt64) -> RunningTransfer? {
        for name in Array(groups.keys) {
            if let transfer = groups[name]?.remove(id) { return transfer }
        }
        return nil
    }

    private func giveUpAll() {
        let waiting = Array(groups.keys).flatMap { groups[$0]?.removeAll() ?? [] } + delayed
        delayed = []
        for transfer in Array(running.values) {
            stop(transfer)
            transfer.endHop()
            transfer.receiver.didFinish(.failure(.cancelled))
        }
        for transfer in waiting { transfer.receiver.didFinish(.failure(.cancelled)) }
    }

    // MARK: - Time

    private func watchTime() {
        let now = clock.now
        for transfer in Array(running.values) where now >= transfer.deadline {
            guard let error = transfer.timeout(at: now) else { continue }
            stop(transfer)
            transfer.endHop()
            fail(transfer, error, retryAfter: nil)
        }
    }

    private var timeUntilNext: Duration {
        let now = clock.now
        var next = now + .seconds(60)
        for transfer in running.values { next = min(next, transfer.deadline) }
        for transfer in delayed { next = min(next, transfer.notBefore ?? now) }
        for group in groups.values where !group.isIdle || group.runningCount == 0 {
            if let notBefore = group.notBefore { next = min(next, notBefore) }
        }
        return max(.zero, now.duration(to: next))
    }
}

extension RunningTransfer {
    fileprivate func retries(_ error: HTTPError) -> Bool {
        // Only what never arrived may be sent twice where twice is more than once.
        if case .unreachable = error { request.retriesUnreachable } else { request.method != .post }
    }
}
