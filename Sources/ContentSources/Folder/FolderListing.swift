internal import Digest
internal import Glibc
package import Shelf

/// The EPUBs in a folder and in all folders in it, as they stand there.
package struct FolderListing {
    struct File {
        /// Below the folder.
        let path: String
        let stamp: FileDate
    }

    /// In the order of their paths.
    let files: [File]

    /// How many files have names that aren't UTF-8.
    let unnameableCount: Int

    /// How many folders may stand in each other.
    private static var depthLimit: Int { 64 }

    /// Lists a folder; no file in it is opened.
    ///
    /// - Parameters:
    ///   - directory: An absolute path.
    ///   - mountPoints: Those of shelves, which are passed over: their books would become books of themselves.
    /// - Throws: ``SourceError`` where any folder can't be read, as its books would seem to be gone.
    package init(of directory: String, except mountPoints: Set<String> = []) throws(SourceError) {
        for mountPoint in mountPoints where (directory + "/").hasPrefix(mountPoint + "/") {
            throw .refused(reason: "\(directory) is in the shelf that is mounted at \(mountPoint)")
        }
        var files: [File] = []
        var unnameable = 0
        try Self.list(directory, except: mountPoints, below: "", depth: 0, into: &files, unnameable: &unnameable)
        self.files = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        unnameableCount = unnameable
    }

    /// Tells this listing from every other of the same folder: by names, inodes, sizes and dates.
    package var fingerprint: String {
        var digest = IncrementalDigest(.sha256)
        // With what is made of the files: another way to read them is another listing.
        digest.update("1 \(unnameableCount)\n".utf8.span)
        for file in files {
            let line = "\(file.path)\0\(file.stamp.inode) \(file.stamp.byteCount) \(file.stamp.modifiedAt)\n"
            digest.update(line.utf8.span)
        }
        return digest.finish()
    }

    /// Lists the EPUBs in a folder and those in it; hidden ones and links to folders are passed over.
    private static func list(
        _ directory: String, except mountPoints: Set<String>, below prefix: String, depth: Int,
        into files: inout [File], unnameable: inout Int
    ) throws(SourceError) {
        guard depth <= Self.depthLimit else {
            throw .refused(reason: "more than \(Self.depthLimit) folders stand in each other: \(directory)")
        }
        guard let stream = unsafe opendir(directory) else {
            let words = unsafe String(cString: strerror(errno))
            throw .unreachable(reason: "the folder \(directory) can't be read: \(words)")
        }
        var folders: [String] = []
        errno = 0
        while let entry = unsafe readdir(stream) {
            defer { errno = 0 }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                    unsafe String(validatingCString: $0)
                }
            }
            guard let name else {
                unnameable += 1
                continue
            }
            guard !name.hasPrefix(".") else { continue }
            if mountPoints.contains(directory + "/" + name) { continue }
            if isFolder(directory + "/" + name, unsafe entry.pointee.d_type) {
                folders.append(name)
            } else if name.lowercased().hasSuffix(".epub"),
                isTrusted(directory + "/" + name, unsafe entry.pointee.d_type)
            {
                if let stamp = FileDate(directory + "/" + name) {
                    files.append(File(path: prefix + name, stamp: stamp))
                }
            }
        }
        let fault = errno
        unsafe closedir(stream)
        guard fault == 0 else {
            throw .unreachable(
                reason: "the folder \(directory) can't be read: \(unsafe String(cString: strerror(fault)))")
        }
        for name in folders {
            try list(
                directory + "/" + name, except: mountPoints, below: prefix + name + "/", depth: depth + 1, into: &files,
                unnameable: &unnameable)
        }
    }

    /// Whether a name leads to what is its owner's: a link of one user to a file of another would show that file to all who see the shelf.
    private static func isTrusted(_ path: String, _ type: UInt8) -> Bool {
        if type != UInt8(DT_UNKNOWN), type != UInt8(DT_LNK) { return true }
        var link = stat()
        var target = stat()
        guard unsafe lstat(path, &link) == 0, unsafe stat(path, &target) == 0 else { return true }
        return link.st_uid == target.st_uid || link.st_uid == 0
    }

    private static func isFolder(_ path: String, _ type: UInt8) -> Bool {
        if type != UInt8(DT_UNKNOWN) { return type == UInt8(DT_DIR) }
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
