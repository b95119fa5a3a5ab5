/// Transfers that one thread makes one after another.
///
/// Apart from the loop that it is of, and from its bounds; connections are kept from one to the next.
package final class TransferSession {
    private let queue: TransferQueue
    private let driver: TransferDriver
    private let objectStorage: ObjectStorage

    init(_ queue: TransferQueue, _ settings: TransferDriver.Settings) {
        self.queue = queue
        objectStorage = settings.objectStorage
        driver = TransferDriver(queue, settings)
    }

    /// Makes one transfer and returns when it has ended; the closures must not make another one.
    ///
    /// - Parameters:
    ///   - request: What to transfer.
    ///   - isCancelled: Asked several times a second; `true` ends the transfer.
    ///   - onHead: Takes the head, as ``TransferReceiver/didReceive(_:)-(ResponseHead)`` does.
    ///   - onBody: Takes the next bytes of the body.
    /// - Throws: What ended it; ``HTTPError/cancelled`` also when a closure stopped it.
    package func perform(
        _ request: TransferRequest, isCancelled: () -> Bool = { false },
        onHead: (ResponseHead) -> TransferDecision, onBody: (Span<UInt8>) -> TransferDecision
    ) throws(HTTPError) {
        let outcome = withoutActuallyEscaping(onHead) { onHead in
            withoutActuallyEscaping(onBody) { onBody in
                let receiver = ClosureReceiver(onHead, onBody)
                let id = queue.submit(objectStorage.located(request), receiver)
                while receiver.outcome == nil {
                    if let id, isCancelled() { queue.cancel(id) }
                    guard driver.step(atMost: .milliseconds(100), while: { receiver.outcome == nil }) else { break }
                }
                return receiver.outcome ?? .failure(.cancelled)
            }
        }
        try outcome.get()
    }
}

/// Takes a transfer into closures, on the thread that made both.
private final class ClosureReceiver: TransferReceiver, @unchecked Sendable {
    // @unchecked: the driver of `perform` calls it on the thread that reads it.
    private let onHead: (ResponseHead) -> TransferDecision
    private let onBody: (Span<UInt8>) -> TransferDecision
    private(set) var outcome: Result<Void, HTTPError>?

    init(_ onHead: @escaping (ResponseHead) -> TransferDecision, _ onBody: @escaping (Span<UInt8>) -> TransferDecision)
    {
        self.onHead = onHead
        self.onBody = onBody
    }

    func didReceive(_ head: ResponseHead) -> TransferDecision { onHead(head) }

    func didReceive(_ bytes: Span<UInt8>) -> TransferDecision { onBody(bytes) }

    func didFinish(_ outcome: Result<Void, HTTPError>) {
        self.outcome = outcome
    }
}
