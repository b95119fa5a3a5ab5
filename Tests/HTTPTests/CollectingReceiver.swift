import HTTP
import Threads

/// Keeps what a transfer brings.
final class CollectingReceiver: TransferReceiver {
    struct State {
        var head: ResponseHead?
        var body: [UInt8] = []
        var retries: [HTTPError] = []
        var outcome: Result<Void, HTTPError>?
        var finishCount = 0
    }

    private let state = Monitor(State())
    private let stopsAtHead: Bool

    /// Kept while somebody looks at what it brings.
    private let loop: TransferLoop?

    init(on loop: TransferLoop? = nil, stopsAtHead: Bool = false) {
        self.loop = loop
        self.stopsAtHead = stopsAtHead
    }

    func didReceive(_ head: ResponseHead) -> TransferDecision {
        state.update { $0.head = head }
        return stopsAtHead ? .stop : .goOn
    }

    func didReceive(_ bytes: Span<UInt8>) -> TransferDecision {
        let copy = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        state.update { $0.body += copy }
        return .goOn
    }

    func willRetry(after error: HTTPError) {
        state.update { $0.retries.append(error) }
    }

    func didFinish(_ outcome: Result<Void, HTTPError>) {
        state.update { state in
            state.outcome = outcome
            state.finishCount += 1
        }
    }

    /// What there is once the transfer has ended, or after ten seconds.
    var final: State {
        _ = state.wait(atMost: .seconds(60)) { $0.outcome == nil ? nil : true }
        return state.update { $0 }
    }

    /// Waits until a try has failed and another is to come.
    ///
    /// - Returns: Whether that was so within ten seconds.
    func waitForRetry() -> Bool {
        state.wait(atMost: .seconds(60)) { $0.retries.isEmpty ? nil : true } ?? false
    }

    /// What there is so far.
    var current: State { state.update { $0 } }

    /// The error that the transfer ended with.
    var failure: HTTPError? {
        if case .failure(let error) = final.outcome { error } else { nil }
    }

    /// Waits until so many bytes have come.
    func waitForBytes(_ count: Int) -> Bool {
        state.wait(atMost: .seconds(60)) { $0.body.count >= count ? true : nil } ?? false
    }
}

/// A loop and a server for one test.
struct Bench {
    let loop: TransferLoop

    init(
        delays: [Duration] = [.milliseconds(1), .milliseconds(2), .milliseconds(4)], maximumTransferCount: Int = 6,
        maximumRetryAfter: Duration = .milliseconds(100)
    ) {
        loop = TransferLoop(
            CurlLibrary(), maximumTransferCount: maximumTransferCount,
            retryPolicy: RetryPolicy(
                delays: delays, jitter: { 1 }, maximumRetryAfter: maximumRetryAfter, retryAfterUnit: .milliseconds(10)))
    }

    func get(_ url: String, _ change: (inout TransferRequest) -> Void = { _ in }) -> CollectingReceiver {
        var request = TransferRequest(url: url)
        change(&request)
        let receiver = CollectingReceiver(on: loop)
        _ = loop.start(request, into: receiver)
        return receiver
    }
}
