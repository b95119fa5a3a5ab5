internal import Catalog
internal import FUSE
internal import Shelf

/// `.search/QUERY/`: what a search finds, best first, for programs that know files only.
///
/// Neither `.search` in the root nor a search in it is listed: they are there for who names them. The kernel remembers none of their
/// names, so nothing has to be told when a search finds something else. The books in it are those that stand in their categories,
/// with the same numbers.
extension BookTree {
    static var searchName: String { ".search" }

    /// The number of `.search` itself; those of searches are above it.
    static var searchRoot: InodeNumber { .search(0) }

    /// The answer to a lookup below `.search`.
    func lookup(_ name: Span<UInt8>, inSearch number: Int64) throws(Errno) -> LookupAnswer {
        if name.isDotDot {
            return .found(entry(try attributes(of: number == 0 ? .root : Self.searchRoot.inode)))
        }
        guard let text = name.validText else { return .absent(validity: .zero) }
        guard number == 0 else {
            guard let found = searches.directory(number) else { throw .staleHandle }
            guard let version = found.version(named: text) else { return .absent(validity: .zero) }
            return .found(passingName(attributes(of: .book(version))))
        }
        // Programs look for files such as .git or .directory wherever they are; nobody searches for those.
        guard text.utf8.first != UInt8(ascii: ".") else { return .absent(validity: .zero) }
        let search = try answering { () throws(CatalogError) in try searches.directory(of: text) }
        return .found(passingName(attributes(ofSearch: search.number, modifiedAt: search.found.modifiedAt)))
    }

    /// A name that the kernel asks for each time, of attributes that it may keep where those of a book are told when they change.
    private func passingName(_ attributes: Attributes) -> Entry {
        Entry(
            attributes, entryValidity: .zero,
            attributeValidity: attributes.kind == .directory ? .zero : Self.validity)
    }

    func attributes(ofSearch number: Int64) throws(Errno) -> Attributes {
        if number == 0 {
            let root = try attributes(of: .root)
            return attributes(
                ofSearch: 0, modifiedAt: root.modifiedAt.seconds * 1_000_000_000 + Int64(root.modifiedAt.nanoseconds))
        }
        guard let found = searches.directory(number) else { throw .staleHandle }
        return attributes(ofSearch: number, modifiedAt: found.modifiedAt)
    }

    private func attributes(ofSearch number: Int64, modifiedAt: Int64) -> Attributes {
        var attributes = attributes(
            of: .directory(.search(DirectoryID(rawValue: number), modifiedAt: modifiedAt)))
        attributes.inode = InodeNumber.search(number).inode
        return attributes
    }

    /// Looks again at what a search finds, for a listing that begins.
    func openSearch(_ number: Int64) throws(Errno) -> OpenAnswer {
        if number != 0 {
            let found = try answering { () throws(CatalogError) in try searches.refreshed(number) }
            guard found != nil else { throw .staleHandle }
        }
        return OpenAnswer(handle: 0, options: [])
    }

    /// Lists what a search has found; `.search` itself lists nothing.
    ///
    /// - Parameters:
    ///   - number: Of the search.
    ///   - place: How many entries have been listed.
    ///   - buffer: Takes the others.
    /// - Throws: ``Errno``.
    func list(search number: Int64, after place: Int64, into buffer: inout DirectoryBuffer) throws(Errno) {
        guard number != 0 else { return }
        guard let found = searches.directory(number) else { throw .staleHandle }
        guard var index = Int(exactly: place), index < found.entries.count else { return }
        while index < found.entries.count {
            let version = found.entries[index].version
            let name = Array(found.entries[index].name.utf8)
            index += 1
            let cookie = UInt64(index) + 2
            let isAdded =
                buffer.wantsAttributes
                ? buffer.add(name.span, passingName(attributes(of: .book(version))), cookie: cookie)
                : buffer.add(name.span, InodeNumber.version(version.id).inode, .regularFile, cookie: cookie)
            guard isAdded else { return }
        }
    }
}
