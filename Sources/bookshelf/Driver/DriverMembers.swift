internal import FUSE
internal import Glibc
internal import Processes

/// The processes of a profile's driver, found by the lock that they have open.
enum DriverMembers {
    /// Ends them at once, but for this one, also those that are stopped or answer nobody.
    ///
    /// - Parameters:
    ///   - lock: The file of the driver's lock.
    ///   - limit: How long to wait for the end of each.
    /// - Returns: Whether all of them have ended: one that waits in the kernel for an answer that nobody gives can't.
    @discardableResult
    static func kill(holding lock: String, waitingAtMost limit: Duration) -> Bool {
        var haveAllEnded = true
        // The supervisor starts again what has ended, so that one look may not be enough.
        for _ in 0..<3 {
            var isAnyoneLeft = false
            haveAllEnded = true
            for number in numbers(holding: lock) {
                guard let process = ProcessHandle(number), isMember(number, holding: lock) else { continue }
                process.send(SIGKILL)
                isAnyoneLeft = true
                if !process.waitForEnd(atMost: limit) { release(number, process) }
                haveAllEnded = process.waitForEnd(atMost: .zero) && haveAllEnded
            }
            if !isAnyoneLeft { break }
        }
        return haveAllEnded
    }

    /// Lets go what was killed and waits in the kernel for an answer of its own mount, which nobody else gives any more.
    private static func release(_ number: Int32, _ process: borrowing ProcessHandle) {
        for thread in DyingProcess.stuckThreads(of: number) {
            // Of the main thread there may be nothing left that has a descriptor.
            guard let descriptor = ProcessHandle(thread: thread)?.open(DriverDescriptor.device) else { continue }
            defer { close(descriptor) }
            UnservedDevice(descriptor)?.refuseRequests(atMost: .seconds(3)) { process.waitForEnd(atMost: .zero) }
        }
    }

    /// The number of the connection that they serve.
    ///
    /// - Parameter lock: The file of the driver's lock.
    /// - Returns: `nil` where the kernel doesn't say it.
    static func connectionNumber(holding lock: String) -> Int? {
        for process in numbers(holding: lock) {
            if let number = MountTable.connectionNumber(servedBy: DriverDescriptor.device, of: process) {
                return number
            }
        }
        return nil
    }

    private static func numbers(holding lock: String) -> [Int32] {
        ProcessTable.processes.filter { $0 != getpid() && isMember($0, holding: lock) }
    }

    /// Whether a process has the lock open under the number that the parts of a driver have it by.
    static func isMember(_ process: Int32, holding lock: String) -> Bool {
        if isOpen(lock, in: "/proc/\(process)/fd") { return true }
        // One that was killed and can't end has nothing open any more by its main thread.
        return DyingProcess.stage(of: process) == .stuck
            && DyingProcess.stuckThreads(of: process).contains { isOpen(lock, in: "/proc/\(process)/task/\($0)/fd") }
    }

    private static func isOpen(_ lock: String, in descriptors: String) -> Bool {
        let link = "\(descriptors)/\(DriverDescriptor.lock)"
        // Read before it is followed: it may lead to anything, and wait there.
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &bytes, bytes.count)
        let name = "/\(ProfileLock.Purpose.driver.rawValue).lock"
        guard count > 0, String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self).hasSuffix(name)
        else { return false }
        var its = stat()
        var ours = stat()
        guard unsafe stat(link, &its) == 0, unsafe stat(lock, &ours) == 0 else { return false }
        return its.st_dev == ours.st_dev && its.st_ino == ours.st_ino
    }
}
