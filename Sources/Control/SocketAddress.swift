internal import Glibc

/// The address of a socket in the file system: unix(7).
struct SocketAddress {
    /// The longest path, in bytes; one byte of `sun_path` is its end.
    static let maximumByteCount = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    private var address: sockaddr_un
    private let path: String

    /// - Throws: ``ControlError/unusable(path:reason:)`` if the path is empty or too long.
    init(path: String) throws(ControlError) {
        self.path = path
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count <= SocketAddress.maximumByteCount, !bytes.contains(0) else {
            throw .unusable(
                path: path,
                reason: "its path has \(bytes.count) bytes, and the system takes 1 to \(SocketAddress.maximumByteCount)"
            )
        }
        address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    }

    /// Calls bind(2) or connect(2) with the address.
    ///
    /// - Returns: 0, or the error number.
    func pass(to call: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        var copy = address
        let result = unsafe withUnsafePointer(to: &copy) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe call(pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return result == 0 ? 0 : errno
    }
}

/// A new stream socket that isn't inherited and never makes its thread wait.
///
/// - Throws: ``ControlError/unusable(path:reason:)`` without descriptors left.
func makeSocket(for path: String) throws(ControlError) -> CInt {
    let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { throw .unusable(path: path, reason: reason(ofError: errno)) }
    return descriptor
}

/// Whether the process at the other end runs as this user or as root: `SO_PEERCRED`, unix(7).
func isPeerTrusted(_ descriptor: CInt) -> Bool {
    // The three numbers of struct ucred: process, user, group.
    var credentials: [UInt32] = [0, .max, .max]
    var byteCount = socklen_t(12)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &byteCount) == 0, byteCount == 12 else {
        return false
    }
    return credentials[1] == geteuid() || credentials[1] == 0
}

/// What an error number of errno(3) means, in words.
func reason(ofError errorNumber: CInt) -> String {
    unsafe String(cString: strerror(errorNumber))
}
