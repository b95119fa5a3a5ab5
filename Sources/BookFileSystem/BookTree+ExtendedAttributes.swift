internal import Catalog
internal import ContentCache
package import FUSE
internal import Shelf

/// Extended attributes: what the catalog knows, under the names that desktops look for.
///
/// See the freedesktop.org list of common extended attributes.
extension BookTree {
    package func extendedAttribute(_ name: Span<UInt8>, of inode: Inode, caller: Caller) throws(Errno) -> [UInt8] {
        // Of the other name spaces (labels, access control lists) there is nothing at all: told so, `ls -l` asks once a
        // file system instead of twice a file.
        guard let name = name.validText, name.utf8.starts(with: "user.".utf8) else { throw .notSupported }
        guard let value = try extendedAttributes(of: inode).first(where: { $0.name == name }) else { throw .noData }
        return Array(value.text.utf8)
    }

    package func extendedAttributeNames(of inode: Inode, caller: Caller) throws(Errno) -> [String] {
        try extendedAttributes(of: inode).map(\.name)
    }

    private func extendedAttributes(of inode: Inode) throws(Errno) -> [(name: String, text: String)] {
        guard case .version(let version)? = InodeNumber(inode) else { return [] }
        let found = try answering { () throws(CatalogError) in try catalog.book(of: version) }
        guard let book = found else { return [] }
        var attributes: [(name: String, text: String)] = [("user.mime_type", book.mediaType)]
        func add(_ name: String, _ text: String?) {
            if let text, !text.isEmpty { attributes.append((name, text)) }
        }
        add("user.xdg.language", book.language)
        add("user.xdg.origin.url", book.contentURL.flatMap(PublicOrigin.init(of:))?.text)
        add("user.xdg.tags", book.categories.joined(separator: ","))
        add("user.dublincore.title", book.title)
        add("user.dublincore.creator", book.authors.joined)
        add("user.dublincore.identifier", book.isbn)
        add("user.dublincore.publisher", book.publisher)
        add("user.dublincore.description", book.description)
        add("user.bookshelf.id", "\(book.id.rawValue)")
        add("user.bookshelf.source", book.source)
        let inPlace = book.contentURL.flatMap { cache.inPlacePolicy.state(ofURL: $0, source: book.source) }
        add("user.bookshelf.state", (inPlace ?? cache.state(of: version)).rawValue)
        add("user.bookshelf.pinned", book.isPinned ? "yes" : "no")
        add("user.bookshelf.sha256", book.sha256)
        return attributes
    }
}
