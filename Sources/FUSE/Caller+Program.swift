internal import Glibc

extension Caller {
    /// The name of the program that makes the call: the last part of its executable's path.
    ///
    /// `nil` where the kernel doesn't tell: a caller that is gone, lives in another process namespace, or belongs to
    /// another user. See proc(5), `/proc/PID/exe`.
    package var programName: String? {
        guard processID > 0 else { return nil }
        let path = "/proc/\(processID)/exe"
        let target: String? = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = unsafe readlink(path, start, buffer.count)
            guard count > 0 else { return nil }
            return unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
        }
        guard let target, let slash = target.lastIndex(of: "/") else { return nil }
        return String(target[target.index(after: slash)...])
    }
}
