internal import FileLock
internal import Glibc

/// A socket on which commands reach the driver of a profile.
///
/// The supervisor binds it and keeps it; workers, which come and go, adopt an inherited copy. While there is no worker,
/// commands wait in the kernel's queue.
package struct ListeningSocket: ~Copyable {
    /// Listening, not inherited, and never making its thread wait; closed with the value.
    package let descriptor: CInt

    /// Makes the socket file, 0600, in a directory that exists and is closed to others.
    ///
    /// A file that a dead driver left is replaced; one where somebody answers never is.
    ///
    /// - Throws: ``ControlError/inUse(path:)``, or ``ControlError/unusable(path:reason:)``.
    package init(bindingAt path: String) throws(ControlError) {
        let address = try SocketAddress(path: path)
        let directory = try lockDirectory(of: path)
        defer { directory.holdUntilHere() }

        let descriptor = try makeSocket(for: path)
        do throws(ControlError) {
            try ListeningSocket.removeStaleFile(path, at: address)
            let result = unsafe address.pass { unsafe bind(descriptor, $0, $1) }
            guard result == 0 else { throw .unusable(path: path, reason: reason(ofError: result)) }
            // Nobody can connect before listen(2), so nobody comes in by the mode that the file has at first.
            guard unsafe chmod(path, 0o600) == 0, listen(descriptor, 64) == 0 else {
                throw .unusable(path: path, reason: reason(ofError: errno))
            }
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    /// Takes over a listening socket that was inherited; the value closes it.
    ///
    /// - Throws: ``ControlError/unusable(path:reason:)`` if the descriptor isn't one.
    package init(adopting descriptor: CInt) throws(ControlError) {
        var isListening: CInt = 0
        var byteCount = socklen_t(MemoryLayout<CInt>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &byteCount) == 0, isListening == 1
        else { throw .unusable(path: "number \(descriptor)", reason: "it isn't a listening socket") }
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
            throw .unusable(path: "number \(descriptor)", reason: reason(ofError: errno))
        }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Removes the file, so that nobody tries to connect any more; for the one who bound it, at the end.
    package static func removeFile(at path: String) {
        unsafe unlink(path)
    }

    /// Removes a socket file that nobody listens at.
    private static func removeStaleFile(_ path: String, at address: SocketAddress) throws(ControlError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw .unusable(path: path, reason: reason(ofError: errno))
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw .unusable(path: path, reason: "there is something else than a socket; move it away")
        }
        let probe = try makeSocket(for: path)
        defer { close(probe) }
        let result = unsafe address.pass { unsafe connect(probe, $0, $1) }
        // EAGAIN: somebody listens and has much to do.
        if result == 0 || result == EAGAIN || result == EINPROGRESS { throw .inUse(path: path) }
        guard result == ECONNREFUSED else { throw .unusable(path: path, reason: reason(ofError: result)) }
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw .unusable(path: path, reason: reason(ofError: errno))
        }
    }
}

/// Locks the directory of a socket while one process looks for stale files in it: of two drivers that start at once, neither
/// may remove the file that the other has just made.
///
/// - Throws: ``ControlError/unusable(path:reason:)`` if the directory isn't there, isn't private, or stays locked for two
///   seconds.
private func lockDirectory(of path: String) throws(ControlError) -> FileLock {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    let directory = slash == path.startIndex ? (path.hasPrefix("/") ? "/" : ".") : String(path[..<slash])
    let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unusable(path: path, reason: reason(ofError: errno)) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & 0o077 == 0 || status.st_uid != geteuid() else {
        close(descriptor)
        throw .unusable(path: path, reason: "others can enter its directory; close it with: chmod 700 \(directory)")
    }
    guard status.st_uid == geteuid() else {
        close(descriptor)
        throw .unusable(path: path, reason: "its directory belongs to another user")
    }
    do throws(FileLock.Failure) {
        return try FileLock(owning: descriptor, .exclusive, waitingAtMost: .seconds(2))
    } catch {
        throw .unusable(path: path, reason: "another process keeps its directory locked")
    }
}
