internal import Glibc

/// What the system says of its last error.
enum SystemWords {
    static var current: String { unsafe String(cString: strerror(errno)) }
}
