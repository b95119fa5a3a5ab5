internal import Glibc

/// The end of a mount that nobody serves any more and somebody still waits for.
extension MountedDevice {
    /// As large as what the kernel may send at once: it hands out nothing to less.
    private static var bufferByteCount: Int { 1 << 20 + 1 << 16 }

    /// Answers every request with ENOTCONN, those that dead processes had read among them, until somebody says that it is enough.
    ///
    /// A process that was killed while it waited in the kernel for one of them ends by this. It needs no control file, other than ``abort()``,
    /// and ends nothing where the kernel can't send again.
    ///
    /// - Parameters:
    ///   - limit: How long at most.
    ///   - isEnough: Asked again and again.
    package borrowing func refuseRequests(atMost limit: Duration, until isEnough: () -> Bool) {
        let deadline = ContinuousClock().now + limit
        var buffer = [UInt8](repeating: 0, count: Self.bufferByteCount)
        try? resend()
        while !isEnough(), !hasHungUp, ContinuousClock().now < deadline {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&polled, 1, 20) > 0, Int32(polled.revents) & POLLIN != 0 else { continue }
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
