internal import Shelf

/// One request of a flight to the source, which it hands what comes.
final class FlightLeg: ContentReceiver {
    /// What a leg is for.
    enum Role {
        /// Brings what is missing, in order, to the end.
        case fill

        /// Brings what a reader far ahead waits for.
        case seek
    }

    /// Where a leg stands.
    struct Progress {
        let role: Role

        /// What was asked for, in bytes; to the end of the content where it has no end.
        let range: Range<Int64>

        /// Where the next bytes belong.
        var position: Int64

        /// Whether the source has said what comes.
        var isAnswered = false

        /// Why this side has ended it, which outranks what the transfer ends with.
        var end: End?

        var transfer: (any ContentTransfer)?

        init(_ role: Role, _ range: Range<Int64>) {
            self.role = role
            self.range = range
            position = range.lowerBound
        }
    }

    /// Why a leg was ended from this side.
    enum End {
        /// What comes next is there already.
        case isCovered

        /// The source can't or won't send parts.
        case hasNoRanges(ContentError)

        /// What came can't be the content.
        case mismatch(ContentError)

        /// What came isn't what others have been given as the same content.
        case changed(ContentError)

        /// There is no room for it on the disk.
        case hasNoRoom(ContentError)

        /// This side can't take it.
        case failed(ContentError)

        var error: ContentError {
            switch self {
            case .isCovered: .interrupted
            case .hasNoRanges(let error), .mismatch(let error), .changed(let error), .hasNoRoom(let error),
                .failed(let error):
                error
            }
        }
    }

    let id: UInt64
    private let flight: Flight

    init(_ id: UInt64, of flight: Flight) {
        self.id = id
        self.flight = flight
    }

    func didReceive(_ response: ContentResponse) throws(ContentError) {
        try flight.take(response, from: id)
    }

    func didReceive(_ bytes: Span<UInt8>) throws(ContentError) {
        try flight.take(bytes, from: id)
    }

    func willRetry(after error: ContentError) {
        flight.noteRetry(after: error)
    }

    func didFinish(_ outcome: Result<Void, ContentError>) {
        flight.takeEnd(outcome, of: id)
    }
}
