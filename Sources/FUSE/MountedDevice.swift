internal import CFuse3
internal import Glibc

/// A mount and the descriptor through which it is served, owned by the process that supervises.
///
/// The mount lives as long as any process has the descriptor open, so a worker may die and be replaced. When the
/// owner goes out of scope what is still mounted is detached. Nothing here asks the mounted file system anything:
/// there may be nobody to answer.
@safe package struct MountedDevice: ~Copyable {
    /// Absolute and without symbolic links.
    package let mountPoint: String

    /// What workers get; closed on exec unless that is taken off, as posix_spawn's `adddup2` to the same number does.
    package var descriptor: CInt { device.rawValue }

    /// What was answered when the mount began, for workers.
    package let initRequest: InitRequest

    /// Whether the kernel may be handed files to read by itself; see ``BackingFiles``.
    package let hasPassthrough: Bool

    /// The name of the mount below /sys/fs/fuse/connections.
    package var connectionNumber: Int { mount.deviceMinor }

    private let device: OwnedDescriptor
    private let mount: VisibleMount

    /// Whether what is still mounted is detached in the end.
    private var isDetachedAtEnd = true

    /// Mounts on an existing directory, and answers the kernel's INIT; the first request after it waits for a worker.
    ///
    /// As an ordinary user by way of fusermount3. For a process of one thread that has no child of another kind to
    /// wait for: libfuse forks, and standard error is captured meanwhile.
    ///
    /// - Parameters:
    ///   - path: The mount point.
    ///   - options: Complete; nothing is added but what names the kind.
    /// - Throws: ``MountError``; nothing stays mounted.
    package init(mountingOn path: String, options: MountOptions) throws(MountError) {
        let resolved = try Self.checkMountPoint(path)
        let beginning = try Self.begin(on: resolved, options: options)
        mountPoint = resolved
        initRequest = beginning.initRequest
        hasPassthrough = beginning.hasPassthrough
        mount = beginning.mount
        device = OwnedDescriptor(owning: beginning.descriptor)
    }

    /// Takes over a mount whose supervisor has died, without asking it anything.
    ///
    /// - Parameters:
    ///   - descriptor: Of the mount; closed when this goes out of scope, or at once if this throws.
    ///   - path: Where it is mounted, absolute and without symbolic links.
    ///   - initRequest: What its first supervisor answered.
    ///   - hasPassthrough: Of the first supervisor's.
    /// - Throws: ``MountError/notMounted(path:)`` if it is unmounted already.
    package init(
        adopting descriptor: CInt, mountedOn path: String, initRequest: InitRequest, hasPassthrough: Bool = false
    ) throws(MountError) {
        let device = OwnedDescriptor(owning: descriptor)
        guard let mount = MountTable.mount(at: path) else { throw .notMounted(path: path) }
        _ = fcntl(device.rawValue, F_SETFD, FD_CLOEXEC)
        mountPoint = path
        self.initRequest = initRequest
        self.hasPassthrough = hasPassthrough
        self.mount = mount
        self.device = device
    }

    /// What a mount has once it has begun.
    private struct Beginning {
        let initRequest: InitRequest
        let hasPassthrough: Bool
        let mount: VisibleMount

        /// To be closed by whoever takes this.
        let descriptor: CInt
    }

    private static func begin(on mountPoint: String, options: MountOptions) throws(MountError) -> Beginning {
        let allowsOthers = options.allowsOthers || options.others.contains("allow_other")
        if allowsOthers, geteuid() != 0, !configurationAllowsOthers { throw .allowOtherForbidden }
        let (created, rejection) = StandardErrorCapture.capture {
            Session(fileSystem: nil, options: options.arguments)
        }
        guard let session = created else { throw .optionsRejected(reason: rejection) }
        let (result, words) = StandardErrorCapture.capture { unsafe fuse_session_mount(session.handle, mountPoint) }
        guard result == 0 else { throw diagnose(words) }
        do throws(MountError) {
            // The kernel takes files from root alone.
            let wantsPassthrough = options.wantsPassthrough && geteuid() == 0
            let (initRequest, hasPassthrough) = try session.answerInit(addingPassthrough: wantsPassthrough)
            guard let mount = MountTable.mount(at: mountPoint) else { throw .notMounted(path: mountPoint) }
            // Through another number for the same open file, so that libfuse's session can go.
            let descriptor = fcntl(unsafe fuse_session_fd(session.handle), F_DUPFD_CLOEXEC, 3)
            if descriptor < 0 { throw .callFailed(name: "fcntl", .current) }
            return Beginning(
                initRequest: initRequest, hasPassthrough: hasPassthrough, mount: mount, descriptor: descriptor)
        } catch {
            try? MountPoint.unmount(mountPoint, lazily: true)
            throw error
        }
    }

    deinit {
        if isDetachedAtEnd, MountTable.contains(mount) { try? MountPoint.unmount(mountPoint, lazily: true) }
    }

    /// Leaves what may be mounted now to others: a mount that takes the place of this one may get its very numbers.
    package mutating func leaveMount() {
        isDetachedAtEnd = false
    }

    /// Makes the kernel send again, to whoever reads next, every request that was read and not answered.
    ///
    /// To be called after every worker, also one that stopped cleanly, and only once it is gone: wait for it first.
    /// Of use where ``InitRequest/supportsResend`` says so.
    package borrowing func resend() throws(MountError) {
        var message = DeviceMessage.resend
        guard unsafe write(device.rawValue, &message, MemoryLayout<DeviceMessage>.size) > 0 else {
            throw .callFailed(name: "resend", .current)
        }
    }

    /// Makes the kernel ask for every name again that it knows; of use when another tree is served from now on.
    ///
    /// - Returns: Whether the kernel can; from 6.16 on.
    package borrowing func forgetNames() -> Bool {
        var message = DeviceMessage.forgetNames
        return unsafe write(device.rawValue, &message, MemoryLayout<DeviceMessage>.size) > 0
    }

    /// Whether the mount has ended: unmounted, detached, or its connection aborted.
    package var isGone: Bool { waitUntilGone(atMost: .zero) }

    /// Waits for the end of the mount.
    ///
    /// An unmounting that leaves users, a writable clone among them, doesn't hang up the device; it is seen by the
    /// mount's leaving the table.
    ///
    /// - Parameters:
    ///   - limit: May be overrun by a scheduling delay; a signal ends the wait early.
    ///   - wakeUps: Descriptors of which any ends the wait when it is readable.
    /// - Returns: Whether it has ended.
    package borrowing func waitUntilGone(atMost limit: Duration, orReadable wakeUps: [CInt] = []) -> Bool {
        let table = OwnedDescriptor(owning: unsafe open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC))
        if hasHungUp || !MountTable.contains(mount) { return true }
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        while clock.now < deadline {
            var polled = [
                pollfd(fd: device.rawValue, events: 0, revents: 0),
                pollfd(fd: table.rawValue, events: Int16(POLLPRI), revents: 0),
            ]
            polled += wakeUps.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let remaining = min((deadline - clock.now).seconds * 1000, 1e9)
            let count = unsafe poll(&polled, nfds_t(polled.count), CInt(max(1, remaining)))
            if hasHungUp || !MountTable.contains(mount) { return true }
            if count < 0 || polled[2...].contains(where: { $0.revents != 0 }) { return false }
        }
        return false
    }

    /// Whether no request will ever come again.
    package var hasHungUp: Bool {
        var polled = pollfd(fd: device.rawValue, events: 0, revents: 0)
        return unsafe poll(&polled, 1, 0) > 0 && Int32(polled.revents) & (POLLERR | POLLHUP | POLLNVAL) != 0
    }

    /// A mount of the same file system that no path leads to, for announcements.
    ///
    /// As root only. It shows everything and stays writable when the visible mount is made read-only. It also keeps the file
    /// system in use: after an unmounting, whoever has it must close it before the device hangs up.
    ///
    /// - Returns: A directory for `mknodat` and the like.
    ///
    /// See open_tree(2), `OPEN_TREE_CLONE`.
    package borrowing func writableClone() throws(MountError) -> OwnedDescriptor {
        let flags = UInt32(OPEN_TREE_CLONE) | UInt32(O_CLOEXEC)
        let clone = OwnedDescriptor(owning: unsafe open_tree(AT_FDCWD, mountPoint, flags))
        guard clone.rawValue >= 0 else { throw .callFailed(name: "open_tree", .current) }
        return clone
    }

    /// Makes the mount that everybody sees read-only, so that /proc/mounts says so.
    ///
    /// As root only; call ``writableClone()`` before. See mount_setattr(2), `MOUNT_ATTR_RDONLY`.
    package borrowing func makeVisibleMountReadOnly() throws(MountError) {
        var attributes = mount_attr()
        attributes.attr_set = UInt64(MOUNT_ATTR_RDONLY)
        guard unsafe mount_setattr(AT_FDCWD, mountPoint, 0, &attributes, MemoryLayout<mount_attr>.size) == 0 else {
            throw .callFailed(name: "mount_setattr", .current)
        }
    }

    /// Unmounts.
    ///
    /// - Parameter lazily: Whether a mount in use is detached, to be served until its last user is gone.
    /// - Throws: ``MountError/busy(path:)`` if it isn't to be lazily; it stays mounted after any error.
    package borrowing func unmount(lazily: Bool) throws(MountError) {
        guard MountTable.contains(mount) else { return }
        try MountPoint.unmount(mountPoint, lazily: lazily)
    }

    /// Ends the connection: every waiting and every later request fails.
    ///
    /// For kernels that can't resend, when a worker has died with requests that nobody else can see.
    package borrowing func abort() throws(MountError) {
        try MountPoint.abortConnection(connectionNumber)
    }
}

extension Session {
    /// Receives the INIT that every mount begins with, and answers it.
    ///
    /// - Parameter wantsPassthrough: Whether to agree to passthrough, if the kernel offers it.
    /// - Returns: What the kernel sent, and whether passthrough was agreed to.
    /// - Throws: ``MountError/noInit(reason:)``.
    fileprivate func answerInit(
        addingPassthrough wantsPassthrough: Bool
    ) throws(MountError) -> (InitRequest, hasPassthrough: Bool) {
        var polled = pollfd(fd: unsafe fuse_session_fd(handle), events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&polled, 1, 10_000) == 1 else { throw .noInit(reason: "no request within ten seconds") }
        var buffer = unsafe fuse_buf()
        defer { unsafe free(buffer.mem) }
        let result = unsafe fuse_session_receive_buf(handle, &buffer)
        guard result > 0 else { throw .noInit(reason: Errno(rawValue: -result).message) }
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: buffer.mem, count: buffer.size))
        guard let request = InitRequest(bytes) else { throw .noInit(reason: "its first request isn't known") }
        let hasPassthrough = wantsPassthrough && request.offersPassthrough && addPassthroughToInitReply()
        unsafe fuse_session_process_buf(handle, &buffer)
        if unsafe fuse_session_exited(handle) != 0 { throw .noInit(reason: "kernel and libfuse don't agree") }
        return (request, hasPassthrough)
    }
}
