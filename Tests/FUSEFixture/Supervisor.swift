import FUSE
import Glibc

/// Mounts, and replaces the worker whenever it ends, until the mount is gone or standard input ends.
enum Supervisor {
    /// - Parameters:
    ///   - directory: For the files by which tests and this talk.
    ///   - mountPoint: Mounted on.
    ///   - options: `allow_other`, `ro`, `passthrough`; `clone` makes a writable clone and a visible mount that is read-only.
    /// - Returns: An exit status.
    static func run(directory: String, mountPoint: String, options: [String]) -> CInt {
        var mountOptions = MountOptions(name: "fixture", subtype: "fixture")
        mountOptions.allowsOthers = options.contains("allow_other")
        mountOptions.others = options.filter { !["allow_other", "clone", "poison", "passthrough"].contains($0) }
        mountOptions.wantsPassthrough = options.contains("passthrough")
        do {
            let device = try MountedDevice(mountingOn: mountPoint, options: mountOptions)
            print("resend \(device.initRequest.supportsResend) connection \(device.connectionNumber)")
            print("passthrough \(device.initRequest.offersPassthrough) \(device.hasPassthrough)")
            var clone: OwnedDescriptor?
            if options.contains("clone") {
                clone = try device.writableClone()
                try device.makeVisibleMountReadOnly()
            }
            let status = supervise(
                device, directory: directory, clone: clone?.rawValue, isPoisoned: options.contains("poison"))
            clone = nil
            return status
        } catch {
            print("error \(error)")
            return 32
        }
    }

    /// Goes on where another supervisor has died.
    static func adopt(directory: String, mountPoint: String, descriptor: CInt, initRequest: InitRequest) -> CInt {
        do {
            let device = try MountedDevice(adopting: descriptor, mountedOn: mountPoint, initRequest: initRequest)
            try device.resend()
            return supervise(device, directory: directory, clone: nil, isPoisoned: false)
        } catch {
            print("error \(error)")
            return 32
        }
    }

    private static func supervise(
        _ device: borrowing MountedDevice, directory: String, clone: CInt?, isPoisoned: Bool
    ) -> CInt {
        var crashes = 0
        while true {
            guard
                let worker = spawn(
                    [
                        "worker", directory, "\(device.descriptor)", device.initRequest.hexadecimal,
                        isPoisoned && crashes > 0 ? "refuse" : "serve",
                    ], keeping: device.descriptor)
            else { return 1 }
            print("worker \(worker)")
            if let clone { print("clone \(getpid()) \(clone)") }
            print("ready")
            fflush(nil)
            var status: CInt = 0
            var ended: pid_t = 0
            while ended == 0 {
                ended = unsafe waitpid(worker, &status, WNOHANG)
                if ended == 0, device.waitUntilGone(atMost: .milliseconds(20)) || hasInputEnded() {
                    kill(worker, SIGTERM)
                    unsafe waitpid(worker, &status, 0)
                    print("gone \(device.hasHungUp)")
                    return 0
                }
            }
            if device.isGone { return 0 }
            crashes += 1
            do { try device.resend() } catch { print("error \(error)") }
        }
    }

    private static func hasInputEnded() -> Bool {
        var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&input, 1, 0) > 0 && Int32(input.revents) & POLLHUP != 0
    }

    /// Starts this program again.
    private static func spawn(_ arguments: [String], keeping descriptor: CInt) -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, descriptor)
        let words = [CommandLine.arguments[0]] + arguments
        var vector = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe vector.forEach { unsafe free($0) } }
        // Swift's own report of a crash takes seconds, for which readers would wait.
        var environment = unsafe [strdup("SWIFT_BACKTRACE=enable=no"), nil]
        defer { unsafe environment.forEach { unsafe free($0) } }
        var process = pid_t()
        let result = unsafe posix_spawn(&process, "/proc/self/exe", &actions, nil, &vector, &environment)
        return result == 0 ? process : nil
    }
}
