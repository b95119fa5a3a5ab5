internal import Glibc
internal import HTTP
internal import TextForms

/// The folder `books` beside a catalog document, in which books are found by name.
///
/// Names are looked up in this one folder and never joined to a path: a name with a `/` in it is no name of a file. No
/// file is opened.
final class BooksFolder {
    /// A file that was found.
    struct Found {
        let url: String
        let byteCount: Int64

        /// Seconds since 1970.
        let modifiedAt: Int64
    }

    private let path: String

    /// Open while this lives; `nil` if there is no such folder.
    private let descriptor: Int32?

    /// The names that aren't in NFC, by what they are in it; made when first needed.
    ///
    /// Few folders have any.
    private lazy var unnormalisedNames: [String: String] = listUnnormalisedNames()

    /// - Parameter directory: That of the document; absolute.
    init(in directory: String) {
        path = directory.hasSuffix("/") ? directory + "books" : directory + "/books"
        let opened = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        descriptor = opened >= 0 ? opened : nil
    }

    deinit {
        if let descriptor { close(descriptor) }
    }

    /// Finds `NAME.epub`: under exactly that name, else under one that is the same in NFC.
    func find(_ name: String) -> Found? {
        guard descriptor != nil, !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0) else { return nil }
        let fileName = name + ".epub"
        if let found = found(fileName) { return found }
        let normalised = fileName.inNFC
        if !normalised.utf8.elementsEqual(fileName.utf8), let found = found(normalised) { return found }
        // A name of ASCII is in NFC, and so is any other name that is the same in NFC.
        guard !normalised.utf8.allSatisfy({ $0 < 0x80 }), let other = unnormalisedNames[normalised] else { return nil }
        return found(other)
    }

    private func found(_ fileName: String) -> Found? {
        var status = stat()
        guard let descriptor, fileName.utf8.count <= Int(NAME_MAX),
            unsafe fstatat(descriptor, fileName, &status, 0) == 0,
            status.st_mode & S_IFMT == S_IFREG, let url = URLReference.fileURL(path: path + "/" + fileName)
        else { return nil }
        return Found(url: url, byteCount: Int64(status.st_size), modifiedAt: Int64(status.st_mtim.tv_sec))
    }

    private func listUnnormalisedNames() -> [String: String] {
        var names: [String: String] = [:]
        guard let descriptor else { return names }
        let own = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard own >= 0 else { return names }
        guard let stream = unsafe fdopendir(own) else {
            close(own)
            return names
        }
        defer { unsafe closedir(stream) }
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                    unsafe String(validatingCString: $0)
                }
            }
            guard let name else { continue }
            let normalised = name.inNFC
            if !normalised.utf8.elementsEqual(name.utf8) { names[normalised] = name }
        }
        return names
    }
}
