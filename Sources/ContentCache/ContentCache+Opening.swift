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
        var keepsPages = !outdated.remove(version, isAlone: isAlone)
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
        if unverified.isSpoiled(version) { renew(version) }
        return keepsPages
    }

    /// The file of a content that ``noteCurrent(_:_:)`` was told of, if it is still as it was left; `nil` otherwise.
    ///
    /// Costs a look at the file and none at the catalog, for the many reads of one open file.
    package func openCurrent(_ version: VersionID) -> CachedFile? {
        guard let file = openFiles.current(version) else { return nil }
        guard file.isIntact else {
            openFiles.remove(version)
            return nil
        }
        file.noteUse(atMostEvery: settings.useInterval)
        return file
    }

    /// The file that a content is arriving in, if a range of it has come; `nil` otherwise.
    ///
    /// Costs no look at the catalog nor at the disk: while a flight goes on, its content is what somebody was found to read.
    ///
    /// - Parameters:
    ///   - version: Whose content it is.
    ///   - range: In bytes; beyond the end of the content it counts as reaching there.
    /// - Returns: The file.
    package func openArriving(_ version: VersionID, _ range: Range<Int64>) -> CachedFile? {
        guard !unverified.isSpoiled(version), let content = state.withLock({ $0.give(range, of: version) }) else {
            return nil
        }
        unverified.note(version, content)
        return content.file
    }

    /// The file of a content that is whole in the cache's own directory; `nil` for one that is served in place or from memory.
    package func openOwned(_ version: ContentVersion) -> CachedFile? {
        settings.inPlace.path(of: version) == nil ? openOnDisk(version) : nil
    }

    /// Notes that a file is what the catalog says, until somebody asks for another look.
    ///
    /// - Parameters:
    ///   - version: As the catalog had it.
    ///   - file: Of ``openLocal(_:)``.
    package func noteCurrent(_ version: VersionID, _ file: CachedFile) {
        openFiles.noteCurrent(version, file)
    }

    /// Has the catalog asked before a content is read again: somebody opens it.
    package func recheck(_ version: VersionID) {
        openFiles.recheck(version)
    }

    /// Has the catalog asked before any content is read again: it has changed.
    ///
    /// To be called once no request is being answered any more that may have seen it as it was.
    package func recheckAll() {
        openFiles.recheckAll()
    }

    /// Gives a book another identity, soon, because what somebody has open of it is no good and can't be taken away from him.
    package func renew(_ version: VersionID) {
        commits.run { [client] in client.renew(version) }
    }

    func isGiven(_ version: VersionID) -> Bool { unverified.isKnown(version) }
}
