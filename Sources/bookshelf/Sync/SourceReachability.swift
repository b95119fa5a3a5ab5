internal import CommandLanguage
internal import HTTP
internal import JSON
internal import Shelf
internal import Synchronization

/// Transfers of content, and whether their sources could be reached.
///
/// Lock order: `contacts` is a leaf; nothing is called while it is held.
final class SourceReachability: ContentFetcher {
    private let fetcher: any ContentFetcher
    private let contacts = Mutex<[String: SourceContact]>([:])

    init(_ fetcher: any ContentFetcher) {
        self.fetcher = fetcher
    }

    /// The last contact with each source of which content was asked for over a network, by its name.
    var json: JSONValue {
        var json: JSONObject = [:]
        for (source, contact) in contacts.withLock({ $0 }) { json[source] = contact.json }
        return .object(json)
    }

    func fetch(_ request: ContentRequest, into receiver: any ContentReceiver) -> any ContentTransfer {
        guard URLReference.isOnNetwork(request.version.url) else { return fetcher.fetch(request, into: receiver) }
        return fetcher.fetch(request, into: Observer(receiver, of: request.version.source, self))
    }

    private func note(_ source: String, isUnreachable: Bool) {
        contacts.withLock { contacts in
            contacts[source] = SourceContact(
                after: contacts[source], isUnreachable: isUnreachable, at: Now.nanoseconds)
        }
    }

    /// Passes everything on, and looks at it.
    private final class Observer: ContentReceiver {
        private let receiver: any ContentReceiver
        private let source: String
        private let reachability: SourceReachability
        private let isAnswered = Atomic<Bool>(false)

        init(_ receiver: any ContentReceiver, of source: String, _ reachability: SourceReachability) {
            self.receiver = receiver
            self.source = source
            self.reachability = reachability
        }

        func didReceive(_ response: ContentResponse) throws(ContentError) {
            isAnswered.store(true, ordering: .relaxed)
            reachability.note(source, isUnreachable: false)
            try receiver.didReceive(response)
        }

        func didReceive(_ bytes: Span<UInt8>) throws(ContentError) {
            try receiver.didReceive(bytes)
        }

        func willRetry(after error: ContentError) {
            note(error)
            receiver.willRetry(after: error)
        }

        func didFinish(_ outcome: Result<Void, ContentError>) {
            if case .failure(let error) = outcome { note(error) }
            receiver.didFinish(outcome)
        }

        private func note(_ error: ContentError) {
            switch error {
            case .unreachable: reachability.note(source, isUnreachable: true)
            // A connection that comes about and brings nothing is one that doesn't.
            case .timedOut: reachability.note(source, isUnreachable: !isAnswered.load(ordering: .relaxed))
            case .denied, .missing: reachability.note(source, isUnreachable: false)
            // Of this side, or such that it doesn't tell whom it came from.
            case .interrupted, .removed, .tooManyWaiting, .broken, .damaged, .cacheFailed, .superseded, .noRoom: break
            }
        }
    }
}
