internal import CFuse3
internal import Glibc

/// Tells the kernel what has changed, so that its caches can be trusted for long.
///
/// Never to be used on a thread that is answering a request, nor while a read of the same inode is parked (but for
/// ``invalidateAttributes(of:)``): the kernel waits for that request, and the request for the kernel. Each takes about a
/// microsecond otherwise. That the kernel doesn't know the inode or the name is success: then it has nothing to forget.
package struct Notifier: Sendable {
    let session: Session

    /// Makes the kernel ask for a name again, and drops what it knows below it.
    ///
    /// - Throws: What the kernel says, ``Errno/noSuchDevice`` or ``Errno/notConnected`` when the mount is gone.
    ///
    /// libfuse: `fuse_lowlevel_notify_inval_entry`.
    package func invalidateEntry(_ name: Span<UInt8>, in parent: Inode) throws(Errno) {
        try Self.check(
            unsafe withTerminated(name) {
                unsafe fuse_lowlevel_notify_inval_entry(session.handle, parent.rawValue, $0, $1)
            })
    }

    /// Makes the kernel ask for the attributes of an inode again; takes no page lock, so that reads may be parked.
    ///
    /// libfuse: `fuse_lowlevel_notify_inval_inode` with a negative offset.
    package func invalidateAttributes(of inode: Inode) throws(Errno) {
        try Self.check(unsafe fuse_lowlevel_notify_inval_inode(session.handle, inode.rawValue, -1, 0))
    }

    /// Makes the kernel forget attributes and pages of a file, or attributes and listing of a directory.
    ///
    /// libfuse: `fuse_lowlevel_notify_inval_inode` with the whole range.
    package func invalidateContent(of inode: Inode) throws(Errno) {
        try Self.check(unsafe fuse_lowlevel_notify_inval_inode(session.handle, inode.rawValue, 0, 0))
    }

    /// Makes a file longer in the kernel's eyes, at once: also for a program that is reading it and waits.
    ///
    /// The page that the new end lies in must not be waited for by a parked read. The kernel takes the size from data that it is
    /// handed, so it gets one byte, and then forgets the page again.
    ///
    /// - Parameters:
    ///   - inode: A file; one that the kernel doesn't know has nothing to grow.
    ///   - byteCount: The new size; one that is smaller than what the kernel has changes nothing.
    /// - Throws: As the others.
    ///
    /// libfuse: `fuse_lowlevel_notify_store`, then `fuse_lowlevel_notify_inval_inode` for that page.
    package func grow(_ inode: Inode, to byteCount: Int64) throws(Errno) {
        guard byteCount > 0 else { return }
        let zero = [UInt8](repeating: 0, count: 1)
        let result = unsafe zero.withUnsafeBytes { bytes in
            var vector = unsafe fuse_bufvec(
                count: 1, idx: 0, off: 0,
                buf: fuse_buf(
                    size: 1, flags: fuse_buf_flags(rawValue: 0),
                    mem: UnsafeMutableRawPointer(mutating: bytes.baseAddress), fd: -1, pos: 0))
            return unsafe fuse_lowlevel_notify_store(
                session.handle, inode.rawValue, Int(byteCount) - 1, &vector, fuse_buf_copy_flags(rawValue: 0))
        }
        try Self.check(result)
        try Self.check(unsafe fuse_lowlevel_notify_inval_inode(session.handle, inode.rawValue, Int(byteCount) - 1, 1))
    }

    /// Makes the kernel take a name away and tell those who watch the inode itself that it is deleted.
    ///
    /// Only for the last name of an inode: the kernel counts its links down to zero for all. A directory that isn't
    /// empty in the kernel's eyes throws `ENOTEMPTY`.
    ///
    /// libfuse: `fuse_lowlevel_notify_delete`.
    package func notifyDelete(_ name: Span<UInt8>, of child: Inode, in parent: Inode) throws(Errno) {
        try Self.check(
            unsafe withTerminated(name) {
                unsafe fuse_lowlevel_notify_delete(session.handle, parent.rawValue, child.rawValue, $0, $1)
            })
    }

    /// libfuse sends the name with its zero.
    private func withTerminated(_ name: Span<UInt8>, _ body: (UnsafePointer<CChar>, Int) -> CInt) -> CInt {
        guard name.count <= 255 else { return -ENAMETOOLONG }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { terminated in
            for index in name.indices { unsafe terminated[index] = CChar(bitPattern: name[index]) }
            unsafe terminated[name.count] = 0
            guard let start = terminated.baseAddress else { return -ENOMEM }
            return unsafe body(start, name.count)
        }
    }

    private static func check(_ result: CInt) throws(Errno) {
        guard result < 0, result != -ENOENT else { return }
        throw Errno(rawValue: -result)
    }
}
