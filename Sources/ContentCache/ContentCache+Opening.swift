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
        var keepsPages = !outdated.remove(version)
        if isAlone, let inPlace, FileStamp(path: directory.bookPath(of: version)) == nil {
            // What isn't in the cache may lie elsewhere, and have been changed since somebody read it.
            inPlace.files.forget(version)
            keepsPages = false
        }
        guard unverified.isKnown(version) else { return keepsPages }
        if isAlone {
            // Nobody has bytes of it but the kernel, which drops them with this open.
            state.withLock { $0.forgetGiven(version) }
            unverified.forget(version)
            return false
        }
        if unverified.isSpoiled(version) { commits.run { [client] in client.renew(version) } }
        return keepsPages
    }

    func isGiven(_ version: VersionID) -> Bool { unverified.isKnown(version) }
}
