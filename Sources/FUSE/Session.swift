internal import CFuse3
internal import Synchronization

/// A libfuse session and what its callbacks need, alive as long as anybody may still answer or notify through it.
///
/// Both the process that mounts and the one that serves make theirs here, with the same table of operations and the
/// same answer to INIT, because what INIT settles holds for the life of the mount.
///
/// libfuse: `struct fuse_session`.
@safe final class Session: Sendable {
    /// Set once, in `init`, before anybody else sees the session; closes the descriptor when it is destroyed.
    nonisolated(unsafe) private(set) var handle: OpaquePointer?

    /// `nil` in the process that only mounts.
    let fileSystem: (any FileSystemOperations)?

    let parkedReads = ParkedReads()

    /// Whether this process is leaving: what it hasn't answered by now is the next worker's to answer.
    let isLeaving = Atomic<Bool>(false)

    /// Fails where libfuse rejects an option, with its words on standard error.
    ///
    /// - Parameters:
    ///   - fileSystem: Answers; `nil` where nothing but INIT is answered.
    ///   - options: As for `-o`, each without a comma that isn't escaped.
    init?(fileSystem: (any FileSystemOperations)?, options: [String]) {
        unsafe handle = nil
        self.fileSystem = fileSystem
        var arguments = unsafe fuse_args(argc: 0, argv: nil, allocated: 0)
        defer { unsafe fuse_opt_free_args(&arguments) }
        unsafe fuse_opt_add_arg(&arguments, "bookshelf")
        if !options.isEmpty {
            unsafe fuse_opt_add_arg(&arguments, "-o")
            unsafe fuse_opt_add_arg(&arguments, options.joined(separator: ","))
        }
        var operations = operationTable
        unsafe handle = fuse_session_new(
            &arguments, &operations, MemoryLayout<fuse_lowlevel_ops>.size, Unmanaged.passUnretained(self).toOpaque())
        if unsafe handle == nil { return nil }
    }

    deinit {
        guard let handle = unsafe handle else { return }
        unsafe fuse_session_destroy(handle)
    }

    /// The session that a request came through.
    @unsafe static func of(_ request: fuse_req_t?) -> Session {
        unsafe Unmanaged<Session>.fromOpaque(fuse_req_userdata(request)).takeUnretainedValue()
    }

    /// Answers the INIT of a mount: what the kernel and the file system agree on for its life.
    ///
    /// Kept free of everything that could differ between the process that mounts and one that serves, or between
    /// two versions of the program.
    @unsafe static func agree(on connection: UnsafeMutablePointer<fuse_conn_info>) {
        let wanted =
            FUSE_CAP_ASYNC_READ | FUSE_CAP_PARALLEL_DIROPS  // Many requests at a time.
            | FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO  // A listing brings the attributes along.
            | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE  // Answers go by descriptor.
            | FUSE_CAP_EXPORT_SUPPORT  // Lookup of `.` and `..` for handles that outlive the kernel's memory.
            | FUSE_CAP_ATOMIC_O_TRUNC  // So that open with O_TRUNC is refused as a whole.
            | FUSE_CAP_EXPLICIT_INVAL_DATA  // Pages go when we say so, not when a date moves.
        // Not FUSE_CAP_ASYNC_DIO: with it the kernel waits for direct reads where no signal reaches, not even KILL.
        unsafe connection.pointee.want = UInt32(wanted) & connection.pointee.capable
        // With the default of 12, thirteen parked reads stop the reading of everything else.
        unsafe connection.pointee.max_background = 1024
        unsafe connection.pointee.congestion_threshold = 1024
    }
}
