package import FUSE

/// What the kernel is told about its caches, and ours with them.
package protocol KernelCaches: Sendable {
    /// Returns once every request that is being answered now has been answered; parked reads don't count.
    func waitForRequestsInProgress()

    /// Has the catalog asked again about files that are read; called between the wait for requests and what follows.
    func recheckFiles()

    /// Makes the kernel ask for a name again.
    func invalidateEntry(_ name: String, in directory: Inode)

    /// Makes the kernel forget the attributes and the cached listing of a directory.
    func invalidateListing(of directory: Inode)

    /// Makes the kernel forget attributes and bytes of a file.
    func invalidateContent(of inode: Inode)

    /// Makes the kernel ask for the attributes of a file again.
    func invalidateAttributes(of inode: Inode)

    /// Called when the anchor on the board has moved.
    func didAdvance()
}
