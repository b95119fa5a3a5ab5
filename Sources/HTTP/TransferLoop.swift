internal import Threads

/// Transfers over http, https and from files: any number at a time, on one thread.
///
/// Connections are kept and shared, HTTP/2 where the server speaks it. Redirects are followed within bounds, failures that
/// may pass are tried again, transfers of a group share a bound.
///
/// Its owner keeps it: when it is let go of, its transfers end as cancelled.
///
/// Lock order: the loop's queue is taken alone; receivers are called with nothing held.
package final class TransferLoop: Sendable {
    private let library: CurlLibrary
    private let queue: TransferQueue
    private let settings: TransferDriver.Settings
    private let end = Monitor(false)

    /// Starts the thread of the loop.
    ///
    /// - Parameters:
    ///   - library: Kept for as long as the loop.
    ///   - userAgent: What servers are told about this program.
    ///   - maximumTransferCount: How many transfers of one group run at a time.
    ///   - retryPolicy: When a transfer that failed is tried again.
    ///   - objectStorage: Where the objects of S3 are.
    package init(
        _ library: CurlLibrary, userAgent: String = "bookshelf", maximumTransferCount: Int = 6,
        retryPolicy: RetryPolicy = RetryPolicy(), objectStorage: ObjectStorage = ObjectStorage()
    ) {
        self.library = library
        queue = TransferQueue(library)
        settings = TransferDriver.Settings(
            userAgent: userAgent, maximumRunningCount: max(1, maximumTransferCount), retryPolicy: retryPolicy,
            objectStorage: objectStorage)
        _ = WorkerThread(name: "transfers") { [queue, settings, end] in
            TransferDriver(queue, settings).run()
            end.update { $0 = true }
        }
    }

    deinit {
        // The thread lets go of the queue and ends by itself.
        queue.close()
    }

    /// Starts a transfer and returns at once.
    ///
    /// - Parameters:
    ///   - request: What to transfer.
    ///   - receiver: Told what comes from the thread of the loop, never from within this call, unless the loop was shut
    ///     down; its ``TransferReceiver/didFinish(_:)`` is called exactly once.
    /// - Returns: A handle by which the transfer can be given up.
    package func start(_ request: TransferRequest, into receiver: any TransferReceiver) -> Transfer {
        let id = queue.submit(settings.objectStorage.located(request), receiver)
        if id == nil { receiver.didFinish(.failure(.cancelled)) }
        return Transfer(id: id, queue: queue)
    }

    /// Ends a transfer that never started: its receiver is told from the thread of the loop, as it would have been.
    func refuse(_ receiver: any TransferReceiver, _ error: HTTPError) {
        if !queue.refuse(receiver, error) { receiver.didFinish(.failure(.cancelled)) }
    }

    /// Ends all transfers as cancelled and waits for the thread to end; the loop takes no more.
    ///
    /// From the thread of the loop it would wait for itself: it is for the owner, at the end of the program.
    ///
    /// - Parameter limit: How long to wait at most.
    /// - Returns: Whether the thread has ended.
    @discardableResult
    package func shutDown(atMost limit: Duration = .seconds(5)) -> Bool {
        queue.close()
        return end.wait(atMost: limit) { $0 ? true : nil } ?? false
    }

    /// Makes one transfer on the calling thread, apart from the loop and its bounds, and returns when it has ended.
    ///
    /// For programs and threads that have nothing else to do meanwhile, such as a sync.
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
        try session().perform(request, isCancelled: isCancelled, onHead: onHead, onBody: onBody)
    }
}

extension TransferLoop {
    /// Begins transfers that one thread makes one after another, with connections that are kept between them.
    ///
    /// - Returns: The session, which belongs to one thread at a time.
    package func session() -> TransferSession { TransferSession(TransferQueue(library), settings) }
}

/// A transfer that can be given up.
package struct Transfer: Sendable {
    /// `nil` if it never started.
    fileprivate let id: UInt64?
    fileprivate let queue: TransferQueue

    /// Ends the transfer soon with ``HTTPError/cancelled``; nothing happens if it has ended.
    ///
    /// From any thread, and at any time.
    package func cancel() {
        if let id { queue.cancel(id) }
    }
}
