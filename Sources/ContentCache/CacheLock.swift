internal import Glibc

/// The right to be the one driver of a cache, for as long as the value lives, or a process that inherited it.
///
/// The lock belongs to the open file: a supervisor takes it and hands the descriptor to its workers, and it is free only
/// when the last of them is gone, however they went.
///
/// The corresponding C function is `flock`.
package struct CacheLock: ~Copyable {
    private let file: Descriptor

    /// To be handed to a child process under a number of the parent's choice, by posix_spawn_file_actions_adddup2(3);
    /// closed on exec otherwise.
    package var descriptor: Int32 { file.number }

    /// Takes the lock of a cache, whose directory is made if need be.
    ///
    /// - Throws: ``ContentCacheError/inUse(path:pid:)`` at once if another process has it.
    package init(ofCacheAt path: String) throws(ContentCacheError) {
        let directory = CacheDirectory(path: path)
        try directory.prepare()
        do throws(SystemError) {
            file = try Self.lock(directory.lockPath)
        } catch {
            guard error.number == EWOULDBLOCK else { throw .unusable(path: path, reason: error.words) }
            throw .inUse(path: path, pid: Self.holder(directory.lockPath))
        }
    }

    private static func lock(_ path: String) throws(SystemError) -> Descriptor {
        let file = try Descriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW)
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else { throw .current }
        // For the message of whoever comes next; a full disk keeps it from that alone.
        guard ftruncate(file.number, 0) == 0 else { throw .current }
        try? file.write(Array("\(getpid())\n".utf8).span, at: 0)
        return file
    }

    /// Takes over a lock from a parent process, by the descriptor that it handed on.
    ///
    /// - Parameter descriptor: Owned from now on; closed on exec.
    package init(inherited descriptor: Int32) {
        file = Descriptor(owning: descriptor)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    private static func holder(_ path: String) -> Int32? {
        guard let file = try? Descriptor(opening: path, O_RDONLY | O_NOFOLLOW) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = unsafe read(file.number, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return Int32(String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
