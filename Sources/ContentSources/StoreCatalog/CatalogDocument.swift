internal import Glibc
package import Shelf

/// The bytes of a catalog document in a file or on standard input, piece by piece.
///
/// Owns the descriptor of a file that it opened, and closes it when it goes out of scope. Reading blocks as read(2)
/// does.
package struct CatalogDocument: ~Copyable {
    private let descriptor: Int32
    private let isOwner: Bool

    /// For messages.
    private let name: String

    /// Opens a file.
    ///
    /// - Throws: ``SourceError/unreachable(reason:)``, ``SourceError/denied(reason:)``, or
    ///   ``SourceError/refused(reason:)`` for a directory.
    package init(path: String) throws(SourceError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.error(errno, name: path) }
        self.descriptor = descriptor
        isOwner = true
        name = path
    }

    /// Reads from a descriptor that stays its owner's, for example standard input.
    package init(borrowing descriptor: Int32, name: String = "standard input") {
        self.descriptor = descriptor
        isOwner = false
        self.name = name
    }

    deinit {
        if isOwner { close(descriptor) }
    }

    /// The next piece, never empty; `nil` at the end.
    ///
    /// - Throws: ``SourceError/unreachable(reason:)`` or ``SourceError/refused(reason:)``.
    package mutating func next() throws(SourceError) -> [UInt8]? {
        var fault: Int32 = 0
        let piece = unsafe [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            while true {
                let taken = unsafe read(descriptor, buffer.baseAddress, buffer.count)
                if taken < 0, errno == EINTR { continue }
                fault = taken < 0 ? errno : 0
                count = max(0, taken)
                return
            }
        }
        guard fault == 0 else { throw Self.error(fault, name: name) }
        return piece.isEmpty ? nil : piece
    }

    private static func error(_ number: Int32, name: String) -> SourceError {
        switch number {
        case ENOENT, ENOTDIR: .unreachable(reason: "there is no file \(name)")
        case EACCES, EPERM: .denied(reason: "\(name) may not be read by this user")
        case EISDIR: .refused(reason: "\(name) is a folder, not a catalog document")
        default: .unreachable(reason: "\(name) can't be read: \(unsafe String(cString: strerror(number)))")
        }
    }
}
