package import Shelf
internal import Synchronization

/// What has to be known of a content before it is opened, or its size is told.
extension ContentCache {
    /// Whether what the kernel remembers of a content may still be used by somebody who opens it now.
    ///
    /// Bytes are given out before the whole is verified. Where the rest never came, or turned out to be of something else, nothing may be
    /// added to them: who has the content open gets an error for good, and who opens it alone begins anew.
    ///
    /// - Parameters:
    ///   - version: What is opened.
    ///   - isAlone: Whether nobody else has it open.
    /// - Returns: Whether pages of earlier opens are good.
    package func prepareToOpen(_ version: VersionID, isAlone: Bool) -> Bool {
        let isOutdated = outdated.remove(version)
        guard unverified.isKnown(version) else { return !isOutdated }
        if isAlone {
            // Nobody has bytes of it but the kernel, which drops them with this open.
            state.withLock { $0.forgetGiven(version) }
            unverified.forget(version)
            return false
        }
        if unverified.isSpoiled(version) { commits.run { [client] in client.renew(version) } }
        return !isOutdated
    }

    /// Notes that somebody is about to be told the size of a content.
    ///
    /// The kernel takes a read that ends early for the end of the file only if it was told no size since it asked.
    ///
    /// - Returns: Whether the size may have changed since it was looked up.
    package func noteShown(_ version: VersionID) -> Bool {
        guard flightCount.load(ordering: .sequentiallyConsistent) > 0 else { return false }
        return state.withLock { $0.noteShown(version) }
    }

    /// Whether somebody was told the size of a content since its flight began.
    package func wasShown(_ version: VersionID) -> Bool {
        state.withLock { $0.wasShown(version) }
    }

    /// Calls `action` when no read of a content is parked any more: at once if there is no flight of it.
    package func whenLanded(_ version: VersionID, _ action: @escaping @Sendable () -> Void) {
        let isFlying = state.withLock { $0.whenLanded(version, action) }
        if !isFlying { action() }
    }

    func isGiven(_ version: VersionID) -> Bool { unverified.isKnown(version) }
}
