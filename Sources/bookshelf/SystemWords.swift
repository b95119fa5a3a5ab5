internal import Glibc

/// What the system says of its errors.
enum SystemWords {
    /// Of the last one.
    static var current: String { of(errno) }

    /// - Parameter number: As errno(3) numbers it.
    /// - Returns: What strerror(3) has for it.
    static func of(_ number: Int32) -> String { unsafe String(cString: strerror(number)) }
}
