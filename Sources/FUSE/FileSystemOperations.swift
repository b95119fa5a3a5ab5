/// A read-only file system, as the kernel sees it.
///
/// Methods are called at once from several threads, and none may wait: a thread that waits is missing for everybody
/// else. A read that can't be answered yet is parked. A number that the kernel was told stays good across restarts of
/// the worker, so there is nothing to forget.
///
/// Whatever a method throws becomes the `errno` of the system call. Every write but the five announcements at the end
/// is answered EROFS before it gets here.
///
/// libfuse: `struct fuse_lowlevel_ops`.
package protocol FileSystemOperations: Sendable {
    /// Finds an entry of a directory.
    ///
    /// `.` and `..` come through here too, for programs that open by handle, NFS among them.
    ///
    /// - Parameters:
    ///   - name: Bytes as the caller gave them, at most 255, perhaps not UTF-8.
    ///   - parent: A directory, or an inode of an earlier life that no longer exists.
    ///   - caller: Who asks.
    /// - Returns: What is there, or for how long nothing is.
    /// - Throws: ``Errno/noSuchFileOrDirectory`` for a name that isn't there and may be in a moment,
    ///   ``Errno/notADirectory``.
    func lookup(_ name: Span<UInt8>, in parent: Inode, caller: Caller) throws(Errno) -> LookupAnswer

    /// - Throws: ``Errno/noSuchFileOrDirectory``, ``Errno/staleHandle``.
    func attributes(of inode: Inode, caller: Caller) throws(Errno) -> AttributesAnswer

    /// Opens a file for reading, without a look at its content.
    ///
    /// Called again for the same open when a worker died before it could answer, or when the caller was gone.
    func open(_ inode: Inode, flags: OpenFlags, caller: Caller) throws(Errno) -> OpenAnswer

    /// Answers a read, or parks it.
    func read(_ request: consuming ReadRequest)

    /// Gives back a handle of ``open(_:flags:caller:)``.
    ///
    /// The kernel has its answer already: a worker that is killed in here leaves the handle counted as open, never
    /// as closed twice.
    func release(_ inode: Inode, handle: UInt64)

    /// Opens a directory for listing.
    func openDirectory(_ inode: Inode, caller: Caller) throws(Errno) -> OpenAnswer

    /// Adds entries to `buffer` until it takes no more, or the directory ends.
    ///
    /// - Parameters:
    ///   - inode: The directory.
    ///   - handle: Of ``openDirectory(_:caller:)``.
    ///   - cookie: Of the last entry that the caller has; 0 at the start.
    ///   - buffer: Takes the entries, `.` and `..` first.
    /// - Throws: Nothing that was added counts then.
    func readDirectory(
        _ inode: Inode, handle: UInt64, after cookie: UInt64, into buffer: inout DirectoryBuffer
    ) throws(Errno)

    /// Gives back a handle of ``openDirectory(_:caller:)``; the kernel has its answer already.
    func releaseDirectory(_ inode: Inode, handle: UInt64)

    func statistics() throws(Errno) -> FileSystemStatistics

    /// Says yes by returning, to access(2) and chdir(2), which ask without `default_permissions`.
    ///
    /// - Parameters:
    ///   - inode: What is asked about.
    ///   - mask: Never with ``AccessMask/write``.
    ///   - caller: Who asks.
    /// - Throws: ``Errno/accessDenied``.
    func checkAccess(to inode: Inode, for mask: AccessMask, caller: Caller) throws(Errno)

    /// The value of an extended attribute; how much the caller has room for is seen to elsewhere.
    ///
    /// - Throws: ``Errno/noData`` where there is none of that name.
    func extendedAttribute(_ name: Span<UInt8>, of inode: Inode, caller: Caller) throws(Errno) -> [UInt8]

    /// The names of the extended attributes, with their `user.`.
    func extendedAttributeNames(of inode: Inode, caller: Caller) throws(Errno) -> [String]

    /// Takes the announcement of a new file.
    ///
    /// - Throws: ``Errno/readOnlyFileSystem`` to everyone but the announcer.
    func makeNode(_ name: Span<UInt8>, in parent: Inode, caller: Caller) throws(Errno) -> Entry

    /// Takes the announcement of a new directory.
    ///
    /// - Throws: ``Errno/readOnlyFileSystem`` to everyone but the announcer.
    func makeDirectory(_ name: Span<UInt8>, in parent: Inode, caller: Caller) throws(Errno) -> Entry

    /// Takes the announcement that a file is gone.
    ///
    /// - Throws: ``Errno/readOnlyFileSystem`` to everyone but the announcer.
    func removeFile(_ name: Span<UInt8>, in parent: Inode, caller: Caller) throws(Errno)

    /// Takes the announcement that a directory is gone.
    ///
    /// - Throws: ``Errno/readOnlyFileSystem`` to everyone but the announcer.
    func removeDirectory(_ name: Span<UInt8>, in parent: Inode, caller: Caller) throws(Errno)

    /// Takes the announcement of another name; with flags of renameat2(2) it is answered EROFS before it gets here.
    ///
    /// - Throws: ``Errno/readOnlyFileSystem`` to everyone but the announcer.
    func rename(
        _ name: Span<UInt8>, in parent: Inode, to newName: Span<UInt8>, in newParent: Inode, caller: Caller
    ) throws(Errno)
}

/// What most file systems answer.
extension FileSystemOperations {
    package func releaseDirectory(_ inode: Inode, handle: UInt64) {}

    /// Refuses only what the permission bits let nobody do: to execute a file without an execute bit.
    package func checkAccess(to inode: Inode, for mask: AccessMask, caller: Caller) throws(Errno) {
        let attributes = try attributes(of: inode, caller: caller).attributes
        if mask.contains(.execute), attributes.permissions & 0o111 == 0 { throw .accessDenied }
    }

    package func extendedAttribute(_ name: Span<UInt8>, of inode: Inode, caller: Caller) throws(Errno) -> [UInt8] {
        throw .noData
    }

    package func extendedAttributeNames(of inode: Inode, caller: Caller) throws(Errno) -> [String] { [] }

    package func makeNode(_ name: Span<UInt8>, in parent: Inode, caller: Caller) throws(Errno) -> Entry {
        throw .readOnlyFileSystem
    }

    package func makeDirectory(_ name: Span<UInt8>, in parent: Inode, caller: Caller) throws(Errno) -> Entry {
        throw .readOnlyFileSystem
    }

    package func removeFile(_ name: Span<UInt8>, in parent: Inode, caller: Caller) throws(Errno) {
        throw .readOnlyFileSystem
    }

    package func removeDirectory(_ name: Span<UInt8>, in parent: Inode, caller: Caller) throws(Errno) {
        throw .readOnlyFileSystem
    }

    package func rename(
        _ name: Span<UInt8>, in parent: Inode, to newName: Span<UInt8>, in newParent: Inode, caller: Caller
    ) throws(Errno) {
        throw .readOnlyFileSystem
    }
}
