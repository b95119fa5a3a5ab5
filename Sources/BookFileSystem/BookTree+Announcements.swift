internal import Catalog
package import FUSE
internal import Shelf

/// What the announcer is answered: the one process whose writes are taken, since they only tell others what is so.
///
/// A name that it is about to announce isn't there yet for it, one that it is about to take away still is, and nothing
/// of that may be remembered by the kernel.
extension BookTree {
    /// The answer to a lookup by the announcer that its operation decides; `nil` for every other.
    func announcedLookup(
        _ name: Span<UInt8>, in parent: Inode, caller: Caller
    ) throws(Errno) -> LookupAnswer? {
        guard let operation = board.operation(of: caller) else { return nil }
        if parent == operation.directory, name.equals(operation.name) {
            switch operation.kind {
            case .create: return .absent(validity: .zero)
            case .remove: return .found(passing(attributesOrFormer(of: operation.inode)))
            }
        }
        if parent == .root, operation.directory != .root, name.equals(operation.directoryName) {
            return .found(passing(attributesOrFormer(of: operation.directory)))
        }
        return nil
    }

    package func makeNode(_ name: Span<UInt8>, in parent: Inode, caller: Caller) throws(Errno) -> Entry {
        try accept(.create, name, in: parent, caller: caller)
    }

    package func makeDirectory(_ name: Span<UInt8>, in parent: Inode, caller: Caller) throws(Errno) -> Entry {
        try accept(.create, name, in: parent, caller: caller)
    }

    package func removeFile(_ name: Span<UInt8>, in parent: Inode, caller: Caller) throws(Errno) {
        _ = try accept(.remove, name, in: parent, caller: caller)
    }

    package func removeDirectory(_ name: Span<UInt8>, in parent: Inode, caller: Caller) throws(Errno) {
        _ = try accept(.remove, name, in: parent, caller: caller)
    }

    /// - Returns: What stands under the name; the kernel asks again for whatever it takes from here.
    private func accept(
        _ kind: AnnouncementBoard.Operation.Kind, _ name: Span<UInt8>, in parent: Inode, caller: Caller
    ) throws(Errno) -> Entry {
        guard let operation = board.operation(of: caller), operation.kind == kind, operation.directory == parent,
            name.equals(operation.name)
        else { throw .readOnlyFileSystem }
        return passing(attributesOrFormer(of: operation.inode))
    }

    private func passing(_ attributes: Attributes) -> Entry {
        Entry(attributes, entryValidity: .zero, attributeValidity: .zero)
    }

    /// The attributes of an inode; of one whose row is gone already, enough for the kernel to take its name away.
    private func attributesOrFormer(of inode: Inode) -> Attributes {
        if let attributes = try? attributes(of: inode) { return attributes }
        switch InodeNumber(inode) {
        case .version(let id)?:
            return attributes(
                of: .book(.former(id)))
        case .directory(let id)?: return attributes(of: .directory(.former(id)))
        case .search?, nil: return attributes(of: .directory(.former(.root)))
        }
    }
}

extension Span<UInt8> {
    fileprivate func equals(_ bytes: [UInt8]) -> Bool {
        guard count == bytes.count else { return false }
        for index in indices where self[index] != bytes[index] { return false }
        return true
    }
}
