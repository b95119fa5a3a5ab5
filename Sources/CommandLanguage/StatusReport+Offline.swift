internal import Terminal

/// How a shelf is without a network: nothing is wrong, and what is on this machine can be read.
extension StatusReport {
    /// How it is, in a line for people.
    ///
    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - offset: Of this place's time from UTC, in seconds.
    /// - Returns: `nil` while sources can be reached.
    package func offlineLine(now: Int64, offset: Int64) -> String? {
        guard isOffline else { return nil }
        let since = offlineSince.map { " since \(CivilTime.clock($0, now: now, offset: offset))" } ?? ""
        let count = catalog.onShelf
        guard catalog.readable < count else { return "offline\(since); every book can be read" }
        return
            "offline\(since); \(catalog.readable) of \(count) books can be read, the rest when the network is back"
    }
}
