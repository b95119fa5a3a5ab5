internal import Shelf
internal import Synchronization

/// What the end of a request means to its flight.
extension Flight {
    /// Takes the end of a leg.
    func takeEnd(_ outcome: Result<Void, ContentError>, of id: UInt64) {
        let next = work.withLock { work -> FlightWork.Next in
            guard let leg = work.legs.removeValue(forKey: id), !work.isOver else { return .nothing }
            if leg.role == .seek {
                if case .success = outcome { return .seek }
                // The fill brings it in any case.
                switch leg.end {
                case .mismatch(let error), .changed(let error): return .fail(error, isUnfit: true)
                case .hasNoRoom: return .nothing
                default:
                    work.hasRanges = false
                    return .nothing
                }
            }
            switch (outcome, leg.end) {
            case (.success, _):
                if work.statement?.byteCount == nil { work.statement?.byteCount = leg.position }
                if work.isComplete { return .commit }
                return leg.position > leg.range.lowerBound && work.hasRanges
                    ? .fill : .fail(work.shortage, isUnfit: false)
            case (.failure, .isCovered): return .fill
            case (.failure, .mismatch(let error)), (.failure, .changed(let error)): return .fail(error, isUnfit: true)
            case (.failure, .hasNoRoom(let error)): return .makeRoom(error)
            case (.failure, .failed(let error)): return .fail(error, isUnfit: false)
            // The last: what it said of the part made no sense, or it has no such part.
            case (.failure, .hasNoRanges(let error)),
                (.failure(let error), nil) where leg.range.lowerBound > 0 && !leg.isAnswered && error.isBroken:
                return work.beginAnew(after: error, cache.settings.retryDelays)
            case (.failure(let error), nil):
                // What fails before anything came was tried again by the fetcher.
                guard leg.isAnswered, error.isBroken || error.isUnreachable,
                    let delay = work.delayAfterBreak(cache.settings.retryDelays)
                else {
                    return .fail(work.version.isSuperseded && error.isMissing ? .superseded : error, isUnfit: false)
                }
                return .retry(after: delay, error)
            }
        }
        switch next {
        case .nothing: break
        case .fill: fill()
        case .seek: seek()
        case .commit: commit()
        case .fail(let error, let isUnfit): fail(error, isUnfit: isUnfit)
        case .makeRoom(let error): cache.commits.run { self.makeRoom(after: error) }
        case .retry(let delay, let error):
            cache.noteRetry(of: self, after: error)
            saveSoon()
            cache.later(delay) { self.fill() }
        }
    }
}
