internal import CFuse3

/// A READ, which is answered exactly once, now or after being parked.
package struct ReadRequest: ~Copyable {
    package let inode: Inode

    /// Of ``FileSystemOperations/open(_:flags:caller:)``.
    package let handle: UInt64

    /// In bytes from the start of the file.
    package let offset: Int64

    /// What the kernel asks for; may reach beyond the end of the file.
    package let byteCount: Int

    /// Whether it was opened with O_DIRECT, so that nothing of the answer stays in the kernel.
    package let isDirect: Bool

    private let request: Request

    init(
        _ request: consuming Request, inode: Inode, handle: UInt64, offset: Int64, byteCount: Int, isDirect: Bool
    ) {
        self.request = request
        self.inode = inode
        self.handle = handle
        self.offset = offset
        self.byteCount = byteCount
        self.isDirect = isDirect
    }

    /// Who reads; a process number of 0 or of another program where the kernel reads ahead.
    package var caller: Caller { request.caller }

    /// Answers with bytes of an open file, without copying them; EIO if the file has fewer.
    ///
    /// What is beyond ``byteCount`` is left out.
    ///
    /// libfuse: `fuse_reply_data`.
    package consuming func answer(_ range: FileRange) {
        let range = range.prefix(byteCount)
        request.send(range)
    }

    /// Answers with a copy of bytes in memory, for what has no file.
    package consuming func answer(copying bytes: Span<UInt8>) {
        let bytes = bytes.extracting(first: byteCount)
        let handle = unsafe request.detach()
        unsafe send(copying: bytes, to: handle)
    }

    /// Answers with an error number.
    package consuming func fail(with error: Errno) {
        request.refuse(with: error)
    }

    /// Keeps the request, without a thread, until somebody answers it.
    ///
    /// A caller that a signal interrupts (direct reads only; the kernel doesn't tell for others) is answered EINTR at
    /// once, without the file system's doing.
    ///
    /// - Parameter onInterrupt: Told that this has happened, so that nobody goes on for nothing. Called at most once,
    ///   on a thread that answers requests, perhaps before this returns; it must not wait.
    /// - Returns: What to answer through.
    package consuming func park(onInterrupt: @escaping @Sendable () -> Void) -> ParkedRead {
        let session = request.session
        let byteCount = byteCount
        let handle = unsafe request.detach()
        return unsafe ParkedRead(of: handle, byteCount: byteCount, in: session, onInterrupt: onInterrupt)
    }
}
