internal import Glibc

/// Reads what libfuse and fusermount3 print about a failure.
///
/// The helper inherits standard error and says nowhere else what it thinks. For the time of one call descriptor 2 is a
/// pipe, so nobody else may print meanwhile: for processes of one thread. What doesn't fit into the pipe is lost.
enum StandardErrorCapture {
    /// - Returns: What `body` returned, and what was printed, its lines joined by `; `.
    static func capture<Result>(during body: () -> Result) -> (result: Result, words: String) {
        var ends: [CInt] = [-1, -1]
        let saved = OwnedDescriptor(owning: fcntl(2, F_DUPFD_CLOEXEC, 3))
        guard saved.rawValue >= 0, unsafe pipe(&ends) == 0 else { return (body(), "") }
        let reader = OwnedDescriptor(owning: ends[0])
        let writer = OwnedDescriptor(owning: ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        dup2(writer.rawValue, 2)
        let result = body()
        dup2(saved.rawValue, 2)
        let text = String(decoding: readAll(reader.rawValue, atMost: 4096), as: UTF8.self)
        return (result, text.split { $0.isNewline }.joined(separator: "; "))
    }
}

/// Reads a descriptor to its end.
///
/// - Parameters:
///   - descriptor: Read from where it is.
///   - limit: In bytes; what is beyond is left out.
/// - Returns: What was there; what an error leaves out is missing.
func readAll(_ descriptor: CInt, atMost limit: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit {
        let chunk = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            repeat {
                count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
            } while count < 0 && errno == EINTR
            count = max(0, count)
        }
        if chunk.isEmpty { break }
        bytes += chunk
    }
    return Array(bytes.prefix(limit))
}
