package import Catalog
package import FUSE
package import SharedMemory

/// What the announcer and the workers of a mount tell each other, in memory that outlives each of them.
///
/// The announcer alone writes the operation that it performs now, and how far it has announced; the worker alone writes
/// how far the kernel's caches have been invalidated. An operation is written before it is published by its kind, and
/// there is only one at a time, so the worker that gets a request of the announcer's thread reads it whole.
/// Numbers that workers give out once stand here too.
package final class AnnouncementBoard: Sendable {
    /// The size of the shared memory, in words of eight bytes.
    package static var wordCount: Int { 512 }

    private enum Word {
        static var announcerThread: Int { 0 }
        static var announcedAnchor: Int { 1 }
        static var invalidatedAnchor: Int { 2 }
        static var operation: Int { 3 }
        static var directory: Int { 4 }
        static var inode: Int { 5 }
        static var directoryNameByteCount: Int { 6 }
        static var nameByteCount: Int { 7 }
        static var searchNumber: Int { 8 }
        static var directoryName: Int { 16 }
        static var name: Int { 64 }
    }

    private let region: SharedRegion

    /// - Parameter region: Of ``wordCount`` words; the same for all processes of a mount.
    package init(in region: SharedRegion) {
        self.region = region
    }

    // MARK: - Progress

    /// Up to where the worker has invalidated what the kernel remembers.
    package var invalidatedAnchor: SyncAnchor {
        get { SyncAnchor(rawValue: Int64(bitPattern: region.load(Word.invalidatedAnchor))) }
        set { region.store(UInt64(bitPattern: newValue.rawValue), at: Word.invalidatedAnchor) }
    }

    /// Up to where the changes have been announced.
    package var announcedAnchor: SyncAnchor {
        get { SyncAnchor(rawValue: Int64(bitPattern: region.load(Word.announcedAnchor))) }
        set { region.store(UInt64(bitPattern: newValue.rawValue), at: Word.announcedAnchor) }
    }

    /// The thread whose announcements are accepted; 0 for none.
    package var announcerThread: Int32 {
        get { Int32(truncatingIfNeeded: region.load(Word.announcerThread)) }
        set { region.store(UInt64(UInt32(bitPattern: newValue)), at: Word.announcerThread) }
    }

    /// Whether something has changed that isn't announced yet: a name that the kernel took for long now would be in
    /// the way of its announcement.
    var isAnnouncing: Bool {
        announcerThread != 0 && announcedAnchor < invalidatedAnchor
    }

    /// Takes a number for a directory of what a search finds: from 1 on, each once in a mount, whichever worker takes it.
    package func takeSearchNumber() -> Int64 {
        Int64(truncatingIfNeeded: region.add(1, to: Word.searchNumber))
    }

    // MARK: - The operation

    /// What the announcer is doing.
    package struct Operation: Sendable, Equatable {
        package enum Kind: UInt64, Sendable {
            /// A name appears.
            case create = 1

            /// A name goes.
            case remove = 2
        }

        package var kind: Kind

        /// The directory's inode; the root for a category itself.
        package var directory: Inode

        /// The directory's name in the root, in UTF-8; empty if it is the root or stands in another directory.
        package var directoryName: [UInt8]

        /// In UTF-8.
        package var name: [UInt8]

        /// What stands, or stood, under the name.
        package var inode: Inode

        package init(kind: Kind, directory: Inode, directoryName: [UInt8], name: [UInt8], inode: Inode) {
            self.kind = kind
            self.directory = directory
            self.directoryName = directoryName
            self.name = name
            self.inode = inode
        }
    }

    /// Publishes an operation; the one before must have been withdrawn.
    package func publish(_ operation: Operation) {
        region.store(operation.directory.rawValue, at: Word.directory)
        region.store(operation.inode.rawValue, at: Word.inode)
        region.store(UInt64(operation.directoryName.count), at: Word.directoryNameByteCount)
        region.store(UInt64(operation.name.count), at: Word.nameByteCount)
        region.write(operation.directoryName.span, at: Word.directoryName * 8)
        region.write(operation.name.span, at: Word.name * 8)
        region.store(operation.kind.rawValue, at: Word.operation)
    }

    /// Ends the published operation.
    package func withdraw() {
        region.store(0, at: Word.operation)
    }

    /// What the announcer does now, if `caller` is the announcer; `nil` for everybody else.
    func operation(of caller: Caller) -> Operation? {
        guard caller.processID != 0, caller.processID == announcerThread,
            let kind = Operation.Kind(rawValue: region.load(Word.operation))
        else { return nil }
        let directoryNameByteCount = min(Int(truncatingIfNeeded: region.load(Word.directoryNameByteCount)), 255)
        let nameByteCount = min(Int(truncatingIfNeeded: region.load(Word.nameByteCount)), 255)
        return Operation(
            kind: kind, directory: Inode(rawValue: region.load(Word.directory)),
            directoryName: region.read(directoryNameByteCount, at: Word.directoryName * 8),
            name: region.read(nameByteCount, at: Word.name * 8), inode: Inode(rawValue: region.load(Word.inode)))
    }
}
