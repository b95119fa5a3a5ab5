internal import CCurl
internal import Synchronization

/// What other threads tell the thread of a loop.
///
/// Lock order: `state` is taken alone; nothing is called while it is held.
@safe final class TransferQueue: Sendable {
    struct Submission: Sendable {
        let id: UInt64
        let request: TransferRequest
        let receiver: any TransferReceiver
    }

    /// What ends before it begins.
    struct Refusal: Sendable {
        let error: HTTPError
        let receiver: any TransferReceiver
    }

    /// What has come since the last look.
    struct News {
        var refusals: [Refusal] = []
        var submissions: [Submission] = []
        var cancellations: [UInt64] = []
        var isClosing = false
    }

    private struct State {
        var nextID: UInt64 = 1
        var news = News()
    }

    private let state = Mutex(State())

    /// Valid from init to deinit; used by one thread, but for `curl_multi_wakeup`, which is for every thread.
    nonisolated(unsafe) let multi: UnsafeMutableRawPointer

    private let library: CurlLibrary

    init(_ library: CurlLibrary) {
        self.library = library
        guard let multi = unsafe curl_multi_init() else { preconditionFailure("libcurl has no memory for transfers") }
        unsafe self.multi = multi
    }

    deinit {
        unsafe curl_multi_cleanup(multi)
    }

    /// - Returns: The number by which the transfer can be given up; after ``close()`` it ends at once, cancelled.
    func submit(_ request: TransferRequest, _ receiver: any TransferReceiver) -> UInt64? {
        let id: UInt64? = state.withLock { state in
            guard !state.news.isClosing else { return nil }
            let id = state.nextID
            state.nextID += 1
            state.news.submissions.append(Submission(id: id, request: request, receiver: receiver))
            return id
        }
        wake()
        return id
    }

    /// Has the thread of the loop tell a receiver that nothing will come.
    ///
    /// - Returns: Whether it will be told; not after ``close()``.
    func refuse(_ receiver: any TransferReceiver, _ error: HTTPError) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.news.isClosing else { return false }
            state.news.refusals.append(Refusal(error: error, receiver: receiver))
            return true
        }
        wake()
        return isTaken
    }

    func cancel(_ id: UInt64) {
        state.withLock { $0.news.cancellations.append(id) }
        wake()
    }

    func close() {
        state.withLock { $0.news.isClosing = true }
        wake()
    }

    /// Takes what has come.
    func takeNews() -> News {
        state.withLock { state in
            let news = state.news
            state.news = News(isClosing: news.isClosing)
            return news
        }
    }

    private func wake() {
        unsafe curl_multi_wakeup(multi)
    }
}
