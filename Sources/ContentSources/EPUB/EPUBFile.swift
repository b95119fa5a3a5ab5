internal import Archive
internal import HTTP
internal import Shelf
internal import XML

/// An EPUB on this machine, as far as it says what it is.
///
/// EPUB Open Container Format 3.3, section 4.
struct EPUBFile: ~Copyable {
    private static var containerByteLimit: Int { 1 << 20 }
    private static var packageByteLimit: Int { 16 << 20 }

    private let archive: ZIPArchive

    /// In bytes.
    var byteCount: Int64 { archive.byteCount }

    /// In nanoseconds since 1970.
    var modifiedAt: Int64 { archive.modifiedAt }

    /// - Throws: ``ArchiveError``.
    init(_ path: String) throws(ArchiveError) {
        archive = try ZIPArchive(path)
    }

    /// Fills in what the book says of itself.
    ///
    /// - Parameter book: Stays as it is on an error.
    /// - Returns: The path of the picture of the cover in the archive, if it has one.
    /// - Throws: ``SourceError/refused(reason:)``, with what is wrong.
    func describe(_ book: inout BookRecord) throws(SourceError) -> String? {
        let container = ContainerDocument()
        try read("META-INF/container.xml", limit: Self.containerByteLimit, handler: container)
        guard let path = container.packagePath else {
            throw .refused(reason: "its container.xml names no package document")
        }
        let package = PackageDocument()
        try read(path, limit: Self.packageByteLimit, handler: package)
        package.describe(&book)
        return package.coverPath.flatMap { Self.join($0, to: path) }
    }

    private func read(_ path: String, limit: Int, handler: any XMLHandler) throws(SourceError) {
        let bytes: [UInt8]
        do throws(ArchiveError) {
            bytes = try archive.content(of: path, limit: limit)
        } catch {
            throw .refused(reason: error.reason)
        }
        var document = XMLDocument(handler: handler, limits: XMLLimits(byteCount: 4 * limit))
        do throws(SourceError) {
            try document.feed(bytes.span)
            try document.finish()
        } catch {
            let last = path.split(separator: "/").last.map(String.init) ?? path
            if case .malformed(let offset, let reason) = error {
                throw .refused(reason: "its \(last) can't be read: \(reason) at byte \(offset)")
            }
            throw .refused(reason: "its \(last) can't be read: \(error.reason)")
        }
    }

    /// The name in the archive of what a document in it refers to; `nil` for what leads out of it.
    private static func join(_ reference: String, to path: String) -> String? {
        // Of a URL that stands for the archive only the path is taken.
        guard let base = URLReference.fileURL(path: "/" + path),
            let resolved = URLReference.resolve(reference, against: base),
            let joined = URLReference.path(ofFileURL: resolved)
        else { return nil }
        return String(joined.dropFirst())
    }
}

/// `META-INF/container.xml`, which says where the package document is.
private final class ContainerDocument: XMLHandler {
    /// Of the first one, which is the default.
    private(set) var packagePath: String?

    func startElement(_ name: XMLName, _ attributes: [XMLAttribute]) {
        guard packagePath == nil, name.local == "rootfile", let path = attributes["full-path"]?.trimmed else { return }
        let type = attributes["media-type"]?.lowercased()
        if type == nil || type == "application/oebps-package+xml" {
            packagePath = path.hasPrefix("/") ? String(path.dropFirst()) : path
        }
    }

    func endElement(_ name: XMLName) {}
    func text(_ bytes: Span<UInt8>) {}
    func reference(to name: String) {}
}
