internal import CFuse3
internal import Glibc

/// Takes the entries of a listing until it is full.
@safe package struct DirectoryBuffer: ~Copyable {
    /// Whether the kernel wants attributes with the names, which saves a lookup of each.
    ///
    /// Without, only inode and kind of an entry are looked at.
    package let wantsAttributes: Bool

    /// From malloc, freed by deinit: touched only as far as it is filled.
    private let memory: UnsafeMutablePointer<CChar>?
    private let capacity: Int
    private var byteCount = 0

    init(capacity: Int, wantsAttributes: Bool) {
        unsafe memory = malloc(capacity)?.assumingMemoryBound(to: CChar.self)
        self.capacity = unsafe memory == nil ? 0 : capacity
        self.wantsAttributes = wantsAttributes
    }

    deinit {
        unsafe free(memory)
    }

    /// Adds an entry with what the kernel may remember of it; counts as a lookup.
    ///
    /// A name that the kernel would refuse, and the whole listing with it, is left out: empty, longer than 255 bytes, or
    /// with `/` or a zero byte in it.
    ///
    /// - Parameters:
    ///   - name: Bytes without a terminating zero.
    ///   - entry: What is there.
    ///   - cookie: Where to go on after this entry; not 0.
    /// - Returns: `false` if there was no room: the listing goes on from the entry before.
    package mutating func add(_ name: Span<UInt8>, _ entry: Entry, cookie: UInt64) -> Bool {
        append(name, entry.parameters, cookie: cookie)
    }

    /// Adds an entry by its number and kind alone, as `.` and `..` are.
    ///
    /// - Returns: `false` if there was no room: the listing goes on from the entry before.
    package mutating func add(_ name: Span<UInt8>, _ inode: Inode, _ kind: FileKind, cookie: UInt64) -> Bool {
        var parameters = fuse_entry_param()  // Inode 0: no attributes, so the kernel takes nothing but the name.
        parameters.attr.st_ino = UInt(inode.rawValue)
        parameters.attr.st_mode = kind.modeBits
        return append(name, parameters, cookie: cookie)
    }

    private mutating func append(_ name: Span<UInt8>, _ parameters: fuse_entry_param, cookie: UInt64) -> Bool {
        guard name.count > 0, name.count <= 255 else { return true }
        let room = capacity - byteCount
        let byteCount = byteCount
        // libfuse wants a terminated string.
        let needed: Int = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { terminated in
            for index in name.indices {
                if name[index] == 0 || name[index] == UInt8(ascii: "/") { return 0 }
                unsafe terminated[index] = CChar(bitPattern: name[index])
            }
            unsafe terminated[name.count] = 0
            var parameters = parameters
            if wantsAttributes {
                return unsafe fuse_add_direntry_plus(
                    nil, memory?.advanced(by: byteCount), room, terminated.baseAddress, &parameters,
                    off_t(truncatingIfNeeded: cookie))
            }
            return unsafe fuse_add_direntry(
                nil, memory?.advanced(by: byteCount), room, terminated.baseAddress, &parameters.attr,
                off_t(truncatingIfNeeded: cookie))
        }
        guard needed <= room else { return false }
        self.byteCount += needed
        return true
    }

    /// Answers the READDIR or READDIRPLUS that this was filled for.
    @unsafe func send(to request: fuse_req_t?) -> CInt {
        unsafe fuse_reply_buf(request, memory, byteCount)
    }
}
