internal import FileLock
internal import Glibc

/// The right to be the one driver of a cache, for as long as the value lives, or a process that inherited it.
///
/// A supervisor takes the lock and hands the descriptor to its workers.
package struct CacheLock: ~Copyable {
    private let lock: FileLock

    /// To be handed to a child process under a number of the parent's choice, by posix_spawn_file_actions_adddup2(3);
    /// closed on exec otherwise.
    package var descriptor: Int32 { lock.descriptor }

    /// Takes the lock of a cache, whose directory is made if need be.
    ///
    /// - Throws: ``ContentCacheError/inUse(path:pid:)`` at once if another process has it.
    package init(ofCacheAt path: String) throws(ContentCacheError) {
        let directory = CacheDirectory(path: path)
        try directory.prepare()
        do throws(FileLock.Failure) {
            let lock = try FileLock(directory.lockPath, .exclusive, waitingAtMost: .zero)
            // For the message of whoever comes next.
            try lock.replaceWords(by: "\(getpid())\n")
            self.lock = lock
        } catch {
            switch error {
            case .held: throw .inUse(path: path, pid: Self.holder(directory.lockPath))
            case .unusable(let number): throw .unusable(path: path, reason: SystemError(number: number).words)
            }
        }
    }

    /// Takes over a lock from a parent process, by the descriptor that it handed on.
    ///
    /// - Parameter descriptor: Owned from now on; closed on exec.
    package init(inherited descriptor: Int32) {
        lock = FileLock(inherited: descriptor)
    }

    private static func holder(_ path: String) -> Int32? {
        FileLock.words(at: path).flatMap { Int32($0.prefix { $0 != "\n" }) }
    }
}
