internal import CFuse3
internal import Glibc
internal import Synchronization

/// Answers the requests of a mount that another process, or this one, has made.
///
/// All threads read from the one descriptor: a clone of it would fail its requests when its process dies.
@safe package final class FileSystemServer: Sendable {
    /// How serving came to its end.
    package enum Ending: Sendable, Hashable {
        /// The mount is gone.
        case unmounted

        /// ``FileSystemServer/stop()`` was called.
        case stopped

        /// The descriptor can't be read.
        case failed(Errno)
    }

    private struct State {
        /// Those that may be in `read`; none of them is joined yet.
        var threads: [pthread_t] = []
        var failure: Errno?
        var hasRun = false
    }

    private let session: Session
    private let threadCount: Int
    private let refusals: Refusals
    private let taking: (@Sendable (_ thread: Int, _ unique: UInt64) -> Void)?
    private let state = Mutex(State())
    private let servingCount = Atomic<Int>(0)
    private let fence: RequestFence

    /// Takes over a mounted descriptor; nothing is answered until ``run()``.
    ///
    /// - Parameters:
    ///   - descriptor: Of ``MountedDevice``, as inherited or as a duplicate. Closed when the server and everything
    ///     that came from it is gone; children of this process don't inherit it.
    ///   - initRequest: What the mounting process answered; replayed, so that libfuse knows what was agreed.
    ///   - fileSystem: Called from several threads at once.
    ///   - threadCount: How many requests are worked on at a time.
    ///   - resent: What becomes of requests that an earlier worker had read.
    ///   - taking: Told by a serving thread which request it works on from now on, by the number of the thread, from 0 on, and that
    ///     of the request without ``ResentRequests/mark``; 0 for none. Whoever looks at it after a crash knows what it may
    ///     have been.
    /// - Throws: ``MountError/cannotServe(reason:)``.
    package init(
        descriptor: CInt, initRequest: InitRequest, fileSystem: any FileSystemOperations, threadCount: Int = 4,
        resent: ResentRequests = .answered, taking: (@Sendable (_ thread: Int, _ unique: UInt64) -> Void)? = nil
    ) throws(MountError) {
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
            throw .cannotServe(reason: "descriptor \(descriptor) isn't open")
        }
        guard let session = Session(fileSystem: fileSystem, options: []),
            unsafe fuse_session_mount(session.handle, "/dev/fd/\(descriptor)") == 0
        else { throw .cannotServe(reason: "libfuse doesn't take descriptor \(descriptor)") }
        session.replay(initRequest)
        self.session = session
        self.threadCount = max(1, threadCount)
        fence = RequestFence(count: self.threadCount)
        refusals = Refusals(of: resent)
        self.taking = taking
    }

    /// Tells the kernel what has changed; good as long as anybody keeps it.
    package var notifier: Notifier { Notifier(session: session) }

    /// Answers requests until the mount is gone or ``stop()`` is called.
    ///
    /// Blocks the calling thread, once; the requests are answered on `threadCount` threads of its own, which take
    /// no signal but SIGURG.
    package func run() -> Ending {
        let isFirst = state.withLock { state in
            defer { state.hasRun = true }
            return !state.hasRun
        }
        guard isFirst else { return .stopped }
        // So that stop() ends a read: a handler that does nothing, and a call that isn't started again after it.
        var wakeUp = sigaction()
        unsafe wakeUp.__sigaction_handler.sa_handler = { _ in }
        unsafe sigaction(SIGURG, &wakeUp, nil)
        let hasEnded = OwnedDescriptor(owning: eventfd(0, CInt(EFD_CLOEXEC)))
        let descriptor = hasEnded.rawValue
        servingCount.store(threadCount, ordering: .sequentiallyConsistent)
        let threads = (0..<threadCount).compactMap { index in
            ServingThread.start { [self] in
                serve(index)
                servingCount.subtract(1, ordering: .sequentiallyConsistent)
                var one: UInt64 = 1
                unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
            }
        }
        servingCount.subtract(threadCount - threads.count, ordering: .sequentiallyConsistent)
        state.withLock { $0.threads = threads }
        // A thread that has ended may still be signalled until it is joined, so nobody is told of it by then.
        while servingCount.load(ordering: .sequentiallyConsistent) > 0 {
            var count: UInt64 = 0
            unsafe read(hasEnded.rawValue, &count, MemoryLayout<UInt64>.size)
        }
        state.withLock { $0.threads = [] }
        for thread in threads { pthread_join(thread, nil) }
        return state.withLock { state in
            if let failure = state.failure { return .failed(failure) }
            if threads.isEmpty { return .failed(Errno(rawValue: EAGAIN)) }
            return session.isLeaving.load(ordering: .relaxed) ? .stopped : .unmounted
        }
    }

    /// Makes ``run()`` return after the requests that are being worked on.
    ///
    /// Parked reads stay unanswered unless somebody answers them still; the next worker gets them when the supervisor has
    /// the kernel resend. Returns when every thread has left, after five seconds at the latest; not to be called on
    /// a thread that answers requests, nor in a signal handler.
    package func stop() {
        session.isLeaving.store(true, ordering: .sequentiallyConsistent)
        for _ in 0..<1000 {
            // Again and again: a thread may have looked at isLeaving just before, and read just after.
            state.withLock { state in
                for thread in state.threads { pthread_kill(thread, SIGURG) }
            }
            if servingCount.load(ordering: .sequentiallyConsistent) == 0 { return }
            usleep(5_000)
        }
    }

    /// Returns once every request that is being answered now has been answered; parked reads don't count.
    ///
    /// To be called before the kernel is told of a change, and not on a thread that answers requests: an answer that was
    /// made from what was before would otherwise reach the kernel after it was told.
    package func waitForRequestsInProgress() {
        fence.wait { usleep(50) }
    }

    /// The loop of one thread.
    private func serve(_ index: Int) {
        // libfuse allocates the memory at the first request, large enough for the largest; pages that no request
        // reaches are never touched.
        var buffer = unsafe fuse_buf()
        defer { unsafe free(buffer.mem) }
        while !session.isLeaving.load(ordering: .sequentiallyConsistent) {
            let result = unsafe fuse_session_receive_buf(session.handle, &buffer)
            switch result {
            case 0:
                return
            case -EINTR, -EAGAIN:
                continue
            case ..<0:
                state.withLock { $0.failure = Errno(rawValue: -result) }
                session.isLeaving.store(true, ordering: .sequentiallyConsistent)
                return
            default:
                let header = unsafe RequestHeader(buffer)
                if let header, refusals.refuses(header) {
                    refuse(header)
                    continue
                }
                taking?(index, (header?.unique ?? 0) & ~ResentRequests.mark)
                fence.answering(on: index) { unsafe fuse_session_process_buf(session.handle, &buffer) }
                taking?(index, 0)
            }
        }
    }

    /// Answers EIO without looking at a request further than its header.
    private func refuse(_ header: RequestHeader) {
        var reply = DeviceMessage(error: -EIO, unique: header.unique)
        unsafe write(fuse_session_fd(session.handle), &reply, MemoryLayout<DeviceMessage>.size)
    }
}

extension RequestHeader {
    /// Fails for what is shorter than a header.
    fileprivate init?(_ buffer: fuse_buf) {
        guard let memory = unsafe buffer.mem, unsafe buffer.size >= 40 else { return nil }
        self.init(
            operation: unsafe memory.load(fromByteOffset: 4, as: UInt32.self),
            unique: unsafe memory.load(fromByteOffset: 8, as: UInt64.self),
            node: unsafe memory.load(fromByteOffset: 16, as: UInt64.self))
    }
}

extension Session {
    /// Works through an INIT that has been answered before; the kernel doesn't know the answer's request any more, and
    /// libfuse takes that as it should.
    fileprivate func replay(_ request: InitRequest) {
        var bytes = request.bytes
        unsafe bytes.withUnsafeMutableBytes { memory in
            var buffer = unsafe fuse_buf()
            unsafe buffer.size = memory.count
            unsafe buffer.mem = memory.baseAddress
            unsafe fuse_session_process_buf(handle, &buffer)
        }
    }
}
