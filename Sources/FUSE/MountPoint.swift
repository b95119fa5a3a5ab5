internal import CFuse3
internal import Glibc

/// What can be done about a mount by its path alone, whoever made it.
package enum MountPoint {
    /// Where fusermount3 may be; never asked of the environment, because it runs with more rights than we have.
    static let helperPaths = ["/usr/bin/fusermount3", "/bin/fusermount3", "/usr/local/bin/fusermount3"]

    static var installedHelper: String? { helperPaths.first { unsafe access($0, X_OK) == 0 } }

    /// Unmounts the FUSE mount that is on top at a path, also the mount of a driver that has died.
    ///
    /// Not through libfuse, which unmounts nothing once the connection was aborted. As root by umount2(2), otherwise by
    /// fusermount3, for at most ten seconds.
    ///
    /// - Parameters:
    ///   - path: The mount point.
    ///   - lazily: Whether a mount in use is detached, to go with its last user.
    /// - Throws: ``MountError/busy(path:)`` if it isn't to be lazily, ``MountError/notMounted(path:)``,
    ///   ``MountError/noHelper``, ``MountError/refused(reason:)``.
    package static func unmount(_ path: String, lazily: Bool) throws(MountError) {
        // Opened without asking it anything, and nothing but FUSE is ever unmounted.
        guard MountTable.mount(at: path) != nil else { throw .notMounted(path: path) }
        if geteuid() == 0 {
            let flags = CInt(UMOUNT_NOFOLLOW) | CInt(lazily ? MNT_DETACH : 0)
            if unsafe umount2(path, flags) == 0 { return }
            switch errno {
            case EBUSY: throw .busy(path: path)
            case EINVAL: throw .notMounted(path: path)
            case ENOENT: throw .noMountPoint(path: path)
            case EPERM: break  // Root of a user namespace, say.
            default: throw .callFailed(name: "umount2", .current)
            }
        }
        let (status, words) = try run(helper: ["fusermount3", "-u"] + (lazily ? ["-z"] : []) + ["--", path])
        if status == 0 || MountTable.mount(at: path) == nil { return }
        if words.contains("busy") { throw .busy(path: path) }
        if words.contains("not found in") || words.contains("not mounted") { throw .notMounted(path: path) }
        throw .refused(reason: words.isEmpty ? "fusermount3 ended with \(status)" : words)
    }

    /// Ends a connection, whoever serves it: every waiting and every later request fails.
    ///
    /// A process that was killed while it waited for a request of its own connection ends by this.
    ///
    /// - Parameter number: ``VisibleMount/deviceMinor``.
    /// - Throws: ``MountError/callFailed(name:_:)`` also where the kernel's control files aren't mounted.
    package static func abortConnection(_ number: Int) throws(MountError) {
        let path = "/sys/fs/fuse/connections/\(number)/abort"
        let file = OwnedDescriptor(owning: unsafe open(path, O_WRONLY | O_CLOEXEC))
        var one = UInt8(ascii: "1")
        guard file.rawValue >= 0, unsafe write(file.rawValue, &one, 1) == 1 else {
            throw .callFailed(name: path, .current)
        }
    }

    /// - Returns: Its wait status and what it printed.
    private static func run(helper arguments: [String]) throws(MountError) -> (status: CInt, words: String) {
        guard let helper = installedHelper else { throw .noHelper }
        let (started, words) = StandardErrorCapture.capture { () -> (result: CInt, status: CInt) in
            var process = pid_t()
            var status: CInt = -1
            let result = unsafe withArguments(arguments) { vector in
                var environment: UnsafeMutablePointer<CChar>?
                return unsafe posix_spawn(&process, helper, nil, nil, vector, &environment)
            }
            guard result == 0 else { return (result, status) }
            // waitpid(2) takes no limit, and this process may not be the only one that waits for its children.
            for _ in 0..<2000 {
                if unsafe waitpid(process, &status, WNOHANG) == process { return (0, status) }
                usleep(5_000)
            }
            // The last act of an unmounting may wait in the kernel for a request that somebody who was killed had read; then no signal
            // ends it, but the mount is gone from everybody's sight.
            kill(process, SIGKILL)
            // A moment for its end, so that it leaves no entry in the table of processes; where it can't end it is not waited for.
            usleep(5_000)
            unsafe waitpid(process, &status, WNOHANG)
            return (0, status)
        }
        if started.result != 0 { throw .callFailed(name: helper, Errno(rawValue: started.result)) }
        return (started.status, words)
    }

    /// Calls with the arguments as C wants them: terminated strings and a `NULL` at the end.
    private static func withArguments<Result>(
        _ arguments: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var vector = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe vector.forEach { unsafe free($0) } }
        return unsafe body(&vector)
    }
}
