internal import ContentCache
package import FUSE
package import Log
internal import Shelf
internal import Synchronization

/// Decides for each open whether the kernel reads the book by itself.
///
/// A book that is whole and verified, and that nobody has open, begins to be read so; from then on every open of it must be, until the last
/// is closed. One that was opened in another state stays read through the driver as long. Handles are counted before an open is
/// answered and after a close was, so that what is believed here lasts at least as long as what the kernel does.
///
/// A worker that is killed in between leaves a count too high, and with it the book in the mode it is in; or, between two calls, a
/// number that nobody knows any more, which holds the file until the mount ends.
///
/// Lock order: `files` is held while the open counts and the table are changed and the kernel is handed a file; none of them
/// waits.
package final class PassthroughBooks: Sendable {
    /// How a book is opened.
    struct Opening: Hashable {
        /// How many handles there are now, this one among them; 0 where they can't be counted.
        let count: Int

        /// `nil` for one that is read through the driver.
        let backing: BackingID?
    }

    /// Hands files to the kernel; see ``BackingFiles``.
    package protocol Kernel: Sendable {
        func register(_ descriptor: Int32) throws(Errno) -> BackingID
        func withdraw(_ id: BackingID)
    }

    private let kernel: any Kernel
    private let table: BackingTable
    private let openVersions: OpenVersions
    private let log: Log

    /// What this process has registered, to be looked at when others open it.
    private let files = Mutex<[VersionID: CachedFile]>([:])

    /// - Parameters:
    ///   - kernel: Of the mount.
    ///   - table: The same for all processes of a mount.
    ///   - openVersions: Likewise; counted here alone.
    ///   - log: For what isn't passed through.
    package init(kernel: any Kernel, table: BackingTable, openVersions: OpenVersions, log: Log) {
        self.kernel = kernel
        self.table = table
        self.openVersions = openVersions
        self.log = log
    }

    /// Counts an open and decides how it is read.
    ///
    /// - Parameters:
    ///   - version: What is opened.
    ///   - file: Whole and checked just now; `nil` if there is none.
    /// - Returns: `nil`, and nothing is counted, if the kernel would read a file that isn't what was verified.
    func open(_ version: VersionID, _ file: CachedFile?) -> Opening? {
        files.withLock { files in
            let count = openVersions.open(version)
            // One that can't be counted can't be known of later.
            if count == 0 { table.close() }
            if let entry = table[version] {
                if count != 1 {
                    guard isGood(entry, files[version], file) else {
                        _ = openVersions.close(version)
                        return nil
                    }
                    return Opening(count: count, backing: entry.id)
                }
                // Of a worker that was killed when the last handle had gone.
                withdraw(entry, of: version, &files)
            }
            guard count == 1, !table.isClosed, let file, let inode = file.inode else {
                return Opening(count: count, backing: nil)
            }
            return Opening(count: count, backing: register(file, inode, for: version, &files))
        }
    }

    /// Counts a close.
    ///
    /// - Returns: How many handles are left.
    func close(_ version: VersionID) -> Int {
        files.withLock { files in
            let count = openVersions.close(version)
            if count == 0, let entry = table[version] { withdraw(entry, of: version, &files) }
            return count
        }
    }

    /// Whether the kernel's file still is what was verified: it may have been removed, but not changed, nor replaced because it had been.
    private func isGood(_ entry: BackingTable.Entry, _ registered: CachedFile?, _ file: CachedFile?) -> Bool {
        if let file { return file.inode == entry.fileInode }
        return registered?.isUnchanged ?? false
    }

    private func register(
        _ file: CachedFile, _ inode: UInt64, for version: VersionID, _ files: inout [VersionID: CachedFile]
    ) -> BackingID? {
        do throws(Errno) {
            let id = try kernel.register(file.descriptor)
            guard table.insert(BackingTable.Entry(id: id, fileInode: inode), for: version) else {
                kernel.withdraw(id)
                return nil
            }
            files[version] = file
            return id
        } catch {
            log.warning(
                "the kernel takes no file of the cache to read by itself; the driver answers",
                ["reason": .public(error.message)], limitedBy: "passthrough")
            return nil
        }
    }

    private func withdraw(
        _ entry: BackingTable.Entry, of version: VersionID, _ files: inout [VersionID: CachedFile]
    ) {
        // Unknown first: a number that is withdrawn must not be given out.
        table.remove(version)
        files[version] = nil
        kernel.withdraw(entry.id)
    }
}

extension BackingFiles: PassthroughBooks.Kernel {}
