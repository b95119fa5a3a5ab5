internal import CFuse3
internal import Glibc

/// One C function for each request, each a single step: decode, call, answer.
///
/// What has no function is answered ENOSYS once and then settled by the kernel itself: flush and fsync succeed, locks are
/// local, SEEK_DATA and SEEK_HOLE see a file without holes.
let operationTable: fuse_lowlevel_ops = {
    var table = fuse_lowlevel_ops()
    unsafe table.`init` = { _, connection in
        guard let connection = unsafe connection else { return }
        unsafe Session.agree(on: connection)
    }
    addTree(to: &table)
    addFiles(to: &table)
    addExtendedAttributes(to: &table)
    addAnnouncements(to: &table)
    addRefusals(to: &table)
    return table
}()

/// The bytes of a C string, without its zero.
///
/// - Parameter string: Valid as long as the result is used.
/// - Returns: Nothing for `NULL`.
@unsafe func bytes(of string: UnsafePointer<CChar>?) -> UnsafeBufferPointer<UInt8> {
    guard let string = unsafe string else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
    return unsafe UnsafeBufferPointer(
        start: UnsafeRawPointer(string).assumingMemoryBound(to: UInt8.self), count: strlen(string))
}

/// Names, attributes and listings.
private func addTree(to table: inout fuse_lowlevel_ops) {
    unsafe table.lookup = { request, parent, name in
        let name = unsafe bytes(of: name)
        unsafe Request(request).answer { (fileSystem, caller) throws(Errno) in
            // The kernel lets longer ones through; nothing else is done with a name before its lookup.
            if name.count > 255 { throw .nameTooLong }
            return try unsafe fileSystem.lookup(name.span, in: Inode(rawValue: parent), caller: caller)
        }
    }
    // The file system keeps nothing for what the kernel knows, so there is nothing to forget.
    unsafe table.forget = { request, _, _ in unsafe Request(request).answerNothing() }
    unsafe table.forget_multi = { request, _, _ in unsafe Request(request).answerNothing() }
    unsafe table.getattr = { request, inode, _ in
        unsafe Request(request).answer { (fileSystem, caller) throws(Errno) in
            try fileSystem.attributes(of: Inode(rawValue: inode), caller: caller)
        }
    }
    unsafe table.access = { request, inode, mask in
        let mask = AccessMask(rawValue: mask)
        unsafe Request(request).answer { (fileSystem, caller) throws(Errno) in
            if mask.contains(.write) { throw .readOnlyFileSystem }
            try fileSystem.checkAccess(to: Inode(rawValue: inode), for: mask, caller: caller)
            return EmptyReply()
        }
    }
    unsafe table.statfs = { request, _ in
        unsafe Request(request).answer { (fileSystem, _) throws(Errno) in try fileSystem.statistics() }
    }
    unsafe table.opendir = { request, inode, _ in
        unsafe answerOpen(request, release: { $0.releaseDirectory(Inode(rawValue: inode), handle: $1) }) {
            (fileSystem, caller) throws(Errno) in
            try fileSystem.openDirectory(Inode(rawValue: inode), caller: caller)
        }
    }
    unsafe table.readdir = { request, inode, capacity, cookie, file in
        unsafe answerListing(request, inode, DirectoryBuffer(capacity: capacity, wantsAttributes: false), cookie, file)
    }
    unsafe table.readdirplus = { request, inode, capacity, cookie, file in
        unsafe answerListing(request, inode, DirectoryBuffer(capacity: capacity, wantsAttributes: true), cookie, file)
    }
    unsafe table.releasedir = { request, inode, file in
        let handle = unsafe file?.pointee.fh ?? 0
        unsafe answerRelease(request) { $0.releaseDirectory(Inode(rawValue: inode), handle: handle) }
    }
}

/// Open, read and release.
private func addFiles(to table: inout fuse_lowlevel_ops) {
    unsafe table.open = { request, inode, file in
        let flags = unsafe file?.pointee.flags ?? O_RDONLY
        unsafe answerOpen(request, release: { $0.release(Inode(rawValue: inode), handle: $1) }) {
            (fileSystem, caller) throws(Errno) in
            guard flags & O_ACCMODE == O_RDONLY, flags & O_TRUNC == 0 else { throw .readOnlyFileSystem }
            return try fileSystem.open(Inode(rawValue: inode), flags: OpenFlags(rawValue: flags), caller: caller)
        }
    }
    unsafe table.read = { request, inode, byteCount, offset, file in
        let handle = unsafe file?.pointee.fh ?? 0
        let isDirect = unsafe (file?.pointee.flags ?? 0) & __O_DIRECT != 0
        let request = unsafe Request(request)
        guard let fileSystem = request.session.fileSystem else { return request.refuse(with: .inputOutput) }
        fileSystem.read(
            ReadRequest(
                request, inode: Inode(rawValue: inode), handle: handle, offset: Int64(offset), byteCount: byteCount,
                isDirect: isDirect))
    }
    unsafe table.release = { request, inode, file in
        let handle = unsafe file?.pointee.fh ?? 0
        unsafe answerRelease(request) { $0.release(Inode(rawValue: inode), handle: handle) }
    }
}

/// Reading of extended attributes.
private func addExtendedAttributes(to table: inout fuse_lowlevel_ops) {
    unsafe table.getxattr = { request, inode, name, capacity in
        let name = unsafe bytes(of: name)
        unsafe Request(request).answer { (fileSystem, caller) throws(Errno) in
            ExtendedAttributeReply(
                value: try unsafe fileSystem.extendedAttribute(name.span, of: Inode(rawValue: inode), caller: caller),
                capacity: capacity)
        }
    }
    unsafe table.listxattr = { request, inode, capacity in
        unsafe Request(request).answer { (fileSystem, caller) throws(Errno) in
            let names = try fileSystem.extendedAttributeNames(of: Inode(rawValue: inode), caller: caller)
            return ExtendedAttributeReply(value: names.flatMap { Array($0.utf8) + [0] }, capacity: capacity)
        }
    }
}

/// The five changes by which an announcer makes the kernel tell whoever watches a directory.
private func addAnnouncements(to table: inout fuse_lowlevel_ops) {
    unsafe table.mknod = { request, parent, name, mode, _ in
        let name = unsafe bytes(of: name)
        unsafe Request(request).answer { (fileSystem, caller) throws(Errno) in
            guard mode & Glibc.S_IFMT == Glibc.S_IFREG else { throw .readOnlyFileSystem }
            return try unsafe fileSystem.makeNode(name.span, in: Inode(rawValue: parent), caller: caller)
        }
    }
    unsafe table.mkdir = { request, parent, name, _ in
        let name = unsafe bytes(of: name)
        unsafe Request(request).answer { (fileSystem, caller) throws(Errno) in
            try unsafe fileSystem.makeDirectory(name.span, in: Inode(rawValue: parent), caller: caller)
        }
    }
    unsafe table.unlink = { request, parent, name in
        let name = unsafe bytes(of: name)
        unsafe Request(request).answer { (fileSystem, caller) throws(Errno) in
            try unsafe fileSystem.removeFile(name.span, in: Inode(rawValue: parent), caller: caller)
            return EmptyReply()
        }
    }
    unsafe table.rmdir = { request, parent, name in
        let name = unsafe bytes(of: name)
        unsafe Request(request).answer { (fileSystem, caller) throws(Errno) in
            try unsafe fileSystem.removeDirectory(name.span, in: Inode(rawValue: parent), caller: caller)
            return EmptyReply()
        }
    }
    unsafe table.rename = { request, parent, name, newParent, newName, flags in
        let name = unsafe bytes(of: name)
        let newName = unsafe bytes(of: newName)
        unsafe Request(request).answer { (fileSystem, caller) throws(Errno) in
            guard flags == 0 else { throw .readOnlyFileSystem }
            try unsafe fileSystem.rename(
                name.span, in: Inode(rawValue: parent), to: newName.span, in: Inode(rawValue: newParent),
                caller: caller)
            return EmptyReply()
        }
    }
}

/// Answers OPEN or OPENDIR; what nobody took is given back.
private func answerOpen(
    _ request: fuse_req_t?, release: (any FileSystemOperations, UInt64) -> Void,
    _ body: (any FileSystemOperations, Caller) throws(Errno) -> OpenAnswer
) {
    let session = unsafe Session.of(request)
    var opened: UInt64?
    let isTaken = unsafe Request(request).answer { (fileSystem, caller) throws(Errno) in
        let answer = try body(fileSystem, caller)
        opened = answer.handle
        return answer
    }
    if !isTaken, let opened, let fileSystem = session.fileSystem { release(fileSystem, opened) }
}

/// Answers RELEASE or RELEASEDIR, and only then lets the file system count it.
///
/// The other way round a worker killed in between would have counted, and the next one, which gets the request again,
/// would count once more.
private func answerRelease(_ request: fuse_req_t?, _ body: (any FileSystemOperations) -> Void) {
    let session = unsafe Session.of(request)
    let isTaken = unsafe Request(request).send(EmptyReply())
    if isTaken, let fileSystem = session.fileSystem { body(fileSystem) }
}

/// Answers READDIR or READDIRPLUS.
private func answerListing(
    _ request: fuse_req_t?, _ inode: fuse_ino_t, _ buffer: consuming DirectoryBuffer, _ cookie: off_t,
    _ file: UnsafeMutablePointer<fuse_file_info>?
) {
    let handle = unsafe file?.pointee.fh ?? 0
    let request = unsafe Request(request)
    guard let fileSystem = request.session.fileSystem else { return request.refuse(with: .inputOutput) }
    do throws(Errno) {
        try fileSystem.readDirectory(
            Inode(rawValue: inode), handle: handle, after: UInt64(bitPattern: Int64(cookie)), into: &buffer)
        let handle = unsafe request.detach()
        _ = unsafe buffer.send(to: handle)
    } catch {
        request.refuse(with: error)
    }
}
