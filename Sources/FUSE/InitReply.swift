internal import CFuse3
internal import Glibc

/// The answer to INIT, with what libfuse 3.14 doesn't know how to say.
///
/// Kernel: `struct fuse_out_header` and `struct fuse_init_out`, 80 bytes together.
struct InitReply {
    private static let byteCount = 80
    private static let flags = 16 + 12
    private static let furtherFlags = 16 + 32
    private static let stackDepth = 16 + 36

    var bytes: [UInt8]

    /// Fails for what isn't an answer to INIT that says yes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, bytes[4..<8].allSatisfy({ $0 == 0 }) else { return nil }
        self.bytes = bytes
    }

    /// Agrees to passthrough of files that aren't themselves of a stacked file system.
    ///
    /// Kernel: `FUSE_INIT_EXT` makes it look at the further flags, of which `FUSE_PASSTHROUGH` is the sixth.
    mutating func addPassthrough() {
        bytes[Self.flags + 3] |= 1 << 6
        bytes[Self.furtherFlags] |= 1 << 5
        bytes[Self.stackDepth] = 1
    }
}

extension Session {
    /// Has passthrough agreed to in the answer to INIT, which must be the only thing that this session answers.
    ///
    /// - Returns: Whether it will be.
    ///
    /// libfuse: `fuse_session_custom_io`.
    func addPassthroughToInitReply() -> Bool {
        var hooks = fuse_custom_io()
        unsafe hooks.read = { descriptor, buffer, byteCount, _ in unsafe Glibc.read(descriptor, buffer, byteCount) }
        unsafe hooks.writev = { descriptor, parts, count, _ in
            var bytes: [UInt8] = []
            let parts = unsafe UnsafeBufferPointer(start: parts, count: Int(count))
            for index in 0..<Int(count) {
                let part = unsafe parts[index]
                unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: part.iov_base, count: part.iov_len))
            }
            if var reply = InitReply(bytes) {
                reply.addPassthrough()
                bytes = reply.bytes
            }
            return unsafe Glibc.write(descriptor, bytes, bytes.count)
        }
        // Without it libfuse would believe that answers can't be spliced.
        unsafe hooks.splice_send = { _, _, _, _, _, _, _ in
            errno = ENOSYS
            return -1
        }
        return unsafe fuse_session_custom_io(handle, &hooks, fuse_session_fd(handle)) == 0
    }
}
