internal import Catalog
package import FUSE
internal import Shelf

/// Listings: streamed from the catalog, with cookies that stay good while books come and go.
///
/// Cookie 1 stands behind `.`, 2 behind `..`, and 2 more than its position behind an entry.
extension BookTree {
    package func openDirectory(_ inode: Inode, caller: Caller) throws(Errno) -> OpenAnswer {
        if case .search(let number)? = InodeNumber(inode) { return try openSearch(number) }
        guard case .directory(let directory)? = InodeNumber(inode) else { throw .notADirectory }
        let found = try answering { () throws(CatalogError) in try catalog.directory(directory) }
        guard found != nil else { throw .staleHandle }
        return OpenAnswer(handle: 0, options: [.keepsCache, .cachesListing])
    }

    package func readDirectory(
        _ inode: Inode, handle: UInt64, after cookie: UInt64, into buffer: inout DirectoryBuffer
    ) throws(Errno) {
        let number = InodeNumber(inode)
        switch number {
        case .directory?, .search?: break
        case .version?, nil: throw .notADirectory
        }
        if cookie == 0 {
            let dot: InlineArray<1, UInt8> = [UInt8(ascii: ".")]
            guard buffer.add(dot.span, inode, .directory, cookie: 1) else { return }
        }
        if cookie <= 1 {
            let dots: InlineArray<2, UInt8> = [UInt8(ascii: "."), UInt8(ascii: ".")]
            guard buffer.add(dots.span, try parent(of: number), .directory, cookie: 2) else { return }
        }
        let place = Int64(max(cookie, 2)) - 2
        switch number {
        case .directory(let directory)?: try list(directory, after: place, into: &buffer)
        case .search(let number)?: try list(search: number, after: place, into: &buffer)
        case .version?, nil: break
        }
    }

    private func parent(of directory: InodeNumber?) throws(Errno) -> Inode {
        switch directory {
        case .search(let number)?: return number == 0 ? .root : Self.searchRoot.inode
        case .directory(let id)?:
            let found = try answering { () throws(CatalogError) in try catalog.directory(id) }
            return InodeNumber.directory(found?.parent ?? .root).inode
        case .version?, nil: return .root
        }
    }

    private func list(
        _ directory: DirectoryID, after position: Int64, into buffer: inout DirectoryBuffer
    ) throws(Errno) {
        do throws(CatalogError) {
            let wantsAttributes = buffer.wantsAttributes
            try catalog.list(directory, after: position, includesAttributes: wantsAttributes) { position, name, node in
                let cookie = UInt64(position) + 2
                switch node {
                case .directory(let id):
                    return buffer.add(name, InodeNumber.directory(id).inode, .directory, cookie: cookie)
                case .book(let id):
                    return buffer.add(name, InodeNumber.version(id).inode, .regularFile, cookie: cookie)
                case .directoryWithAttributes(let directory):
                    return buffer.add(name, entry(attributes(of: .directory(directory))), cookie: cookie)
                case .bookWithAttributes(let version):
                    return buffer.add(name, entry(attributes(of: .book(version))), cookie: cookie)
                }
            }
        } catch {
            _ = try answering { () throws(CatalogError) in throw error }
        }
    }
}
