internal import BookFileSystem
internal import ContentCache
internal import FUSE
internal import Glibc

/// Tells the kernel through the device, and the announcer through a pipe.
struct KernelNotifications: KernelCaches {
    let server: FileSystemServer
    let cache: ContentCache
    let shrunkSizes: ShrunkSizes

    /// The writing end of the announcer's pipe.
    let advance: Int32

    func waitForRequestsInProgress() {
        server.waitForRequestsInProgress()
    }

    func recheckFiles() {
        cache.recheckAll()
    }

    // That the mount is gone is found by the server; there is nobody to tell here.

    func invalidateEntry(_ name: String, in directory: Inode) {
        let bytes = Array(name.utf8)
        try? server.notifier.invalidateEntry(bytes.span, in: directory)
    }

    func invalidateListing(of directory: Inode) {
        try? server.notifier.invalidateContent(of: directory)
    }

    func invalidateContent(of inode: Inode) {
        try? server.notifier.invalidateContent(of: inode)
    }

    func invalidateAttributes(of inode: Inode) {
        // Once more would take away the meaning of an answer that is on its way.
        if let version = BookTree.version(of: inode), shrunkSizes.takeTold(version) { return }
        try? server.notifier.invalidateAttributes(of: inode)
    }

    func didAdvance() {
        var byte: UInt8 = 1
        // A full pipe says it as well.
        _ = unsafe write(advance, &byte, 1)
    }
}
