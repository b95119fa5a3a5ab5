internal import CFuse3
internal import Glibc

/// The device of a mount that nobody serves any more and somebody still waits for.
package struct UnservedDevice: Sendable {
    /// As large as what the kernel may send at once: it hands out nothing to less.
    private static var bufferByteCount: Int { 1 << 20 + 1 << 16 }

    private let descriptor: CInt

    /// - Parameter descriptor: Borrowed. Fails for one of anything but a FUSE device.
    package init?(_ descriptor: CInt) {
        var status = stat()
        // The number that the kernel's list of devices gives /dev/fuse.
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFCHR,
            status.st_rdev == 10 << 8 | 229
        else { return nil }
        self.descriptor = descriptor
    }

    /// Answers every request with ENOTCONN, those that dead processes had read among them, until somebody says that it is enough.
    ///
    /// A process that was killed while it waited in the kernel for one of them ends by this. Other than
    /// ``MountPoint/abortConnection(_:)`` it needs no control file, and ends nothing where the kernel can't send again.
    ///
    /// - Parameters:
    ///   - limit: How long at most.
    ///   - isEnough: Asked again and again.
    package func refuseRequests(atMost limit: Duration, until isEnough: () -> Bool) {
        let deadline = ContinuousClock().now + limit
        var buffer = [UInt8](repeating: 0, count: Self.bufferByteCount)
        var resend = DeviceMessage.resend
        _ = unsafe write(descriptor, &resend, MemoryLayout<DeviceMessage>.size)
        while !isEnough(), ContinuousClock().now < deadline {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let isReadable = unsafe poll(&polled, 1, 20) > 0
            if Int32(polled.revents) & (POLLERR | POLLHUP | POLLNVAL) != 0 { return }
            guard isReadable, Int32(polled.revents) & POLLIN != 0 else { continue }
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count >= 40 else { continue }
            let header = RequestHeader(Array(buffer[..<40]))
            guard header.wantsAnswer else { continue }
            var reply = DeviceMessage(error: -ENOTCONN, unique: header.unique)
            _ = unsafe write(descriptor, &reply, MemoryLayout<DeviceMessage>.size)
        }
    }
}

extension RequestHeader {
    /// - Parameter bytes: Of the header, as the kernel wrote them.
    fileprivate init(_ bytes: [UInt8]) {
        func number(at offset: Int, _ count: Int) -> UInt64 {
            (0..<count).reversed().reduce(0) { $0 << 8 | UInt64(bytes[offset + $1]) }
        }
        self.init(operation: UInt32(number(at: 4, 4)), unique: number(at: 8, 8), node: number(at: 16, 8))
    }

    /// Kernel: `FUSE_FORGET`, `FUSE_INTERRUPT`, `FUSE_BATCH_FORGET` have none.
    fileprivate var wantsAnswer: Bool { ![2, Self.interrupt, 42].contains(operation) }
}
