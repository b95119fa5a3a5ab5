internal import Glibc

/// A file descriptor with one owner, closed when the owner goes out of scope.
package struct OwnedDescriptor: ~Copyable {
    package let rawValue: CInt

    package init(owning descriptor: CInt) {
        rawValue = descriptor
    }

    deinit {
        close(rawValue)
    }

    /// Gives the descriptor away: the caller closes it.
    package consuming func release() -> CInt {
        let descriptor = rawValue
        discard self
        return descriptor
    }
}
