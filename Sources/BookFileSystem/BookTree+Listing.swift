internal import Catalog
package import FUSE
internal import Shelf

/// Listings: streamed from the catalog, with cookies that stay good while books come and go.
///
/// Cookie 1 stands behind `.`, 2 behind `..`, and 2 more than its position behind an entry.
extension BookTree {
    package func openDirectory(_ inode: Inode, caller: Caller) throws(Errno) -> OpenAnswer {
        guard case .directory(let directory)? = InodeNumber(inode) else { throw .notADirectory }
        let found = try answering { () throws(CatalogError) in try catalog.directory(directory) }
        guard found != nil else { throw .staleHandle }
        return OpenAnswer(handle: 0, options: [.keepsCache, .cachesListing])
    }

    package func readDirectory(
        _ inode: Inode, handle: UInt64, after cookie: UInt64, into buffer: inout DirectoryBuffer
    ) throws(Errno) {
        guard case .directory(let directory)? = InodeNumber(inode) else { throw .notADirectory }
        if cookie == 0 {
            let dot: InlineArray<1, UInt8> = [UInt8(ascii: ".")]
            guard buffer.add(dot.span, inode, .directory, cookie: 1) else { return }
        }
        if cookie <= 1 {
            let dots: InlineArray<2, UInt8> = [UInt8(ascii: "."), UInt8(ascii: ".")]
            let found = try answering { () throws(CatalogError) in try catalog.directory(directory) }
            let parent = InodeNumber.directory(found?.parent ?? .root).inode
            guard buffer.add(dots.span, parent, .directory, cookie: 2) else { return }
        }
        try list(directory, after: Int64(max(cookie, 2)) - 2, into: &buffer)
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
