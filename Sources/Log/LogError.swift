internal import Glibc

/// Why a log file can't be opened.
package struct LogError: Error, Equatable, Sendable {
    package let path: String

    /// By errno(3).
    package let errorNumber: Int32

    package init(path: String, errorNumber: Int32) {
        self.path = path
        self.errorNumber = errorNumber
    }

    /// What happened, in one line.
    package var reason: String {
        "can't open the log file \(path): \(unsafe String(cString: strerror(errorNumber)))"
    }
}
