package import Shelf

/// What a cache asks of those whose content it keeps.
package protocol CacheClient: Sendable {
    /// Whether somebody has a content open, so that it isn't evicted.
    func isOpen(_ version: VersionID) -> Bool

    /// Whether a content belongs to a book that is pinned, so that it isn't evicted.
    ///
    /// May wait for the catalog.
    func isPinned(_ version: VersionID) -> Bool

    /// Takes the true size of a content whose declared size didn't bind, before the first byte is given out.
    ///
    /// May wait for the catalog; not called while a lock of the cache is held.
    ///
    /// - Parameters:
    ///   - version: What it belongs to.
    ///   - byteCount: Of the whole content.
    ///   - etag: What the source calls these bytes.
    /// - Returns: Whether those who wait may have the content.
    func correctSize(of version: ContentVersion, to byteCount: Int64, etag: String?) -> SizeCorrection

    /// Gives the content of a book another identity: who has it open keeps what is no good any more, who opens it by its name
    /// gets the new one.
    ///
    /// May wait for the catalog; nothing happens if it isn't the current content of its book.
    func renew(_ version: VersionID)

    /// Makes the kernel drop what it has of a content.
    ///
    /// May wait for reads of it that are being answered.
    func dropPages(of version: VersionID)

    /// Learns that what was on disk of a content was damaged and is gone.
    func noteDamage(of version: ContentVersion, reason: String)
}

extension CacheClient {
    package func noteDamage(of version: ContentVersion, reason: String) {}
}

/// What became of the size of a content that was declared wrong.
package enum SizeCorrection: Sendable {
    /// It is what the tree shows now, also to those who wait.
    case made

    /// Those who wait can't be shown it and get an error; then this is called, and the next reader finds it.
    case madeForOthers(@Sendable () -> Void)

    /// It couldn't be written.
    case refused
}
