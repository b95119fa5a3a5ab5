internal import Glibc

/// Tells when files of one directory are written, made or removed, and can be woken from elsewhere.
///
/// One thread waits; any thread may ``wake()``. See inotify(7), pipe(7).
@safe package final class DirectoryWatch: Sendable {
    /// Why a directory can't be watched.
    package struct Failure: Error, Hashable, Sendable {
        package let path: String

        /// As errno(3) numbers it.
        package let number: Int32
    }

    /// What ended a wait.
    package enum Event: Sendable, Hashable {
        /// A file whose name begins with the prefix was touched, or the directory itself was moved or removed.
        case changed

        /// ``DirectoryWatch/wake()`` was called.
        case woken

        /// The time has passed.
        case timedOut
    }

    private let inotify: Int32
    private let wakeUp: Int32
    private let wakeEnd: Int32
    private let prefix: [UInt8]

    /// Begins to watch: what happens from now on is told by the next ``wait(atMost:)``.
    ///
    /// - Parameters:
    ///   - path: A directory.
    ///   - prefix: Only files whose name begins so count.
    /// - Throws: ``Failure``.
    package init(_ path: String, filesNamed prefix: String) throws(Failure) {
        let inotify = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
        guard inotify >= 0 else { throw Failure(path: path, number: errno) }
        let mask = UInt32(
            IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF)
        guard unsafe inotify_add_watch(inotify, path, mask) >= 0 else {
            let number = errno
            close(inotify)
            throw Failure(path: path, number: number)
        }
        self.inotify = inotify
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            let number = errno
            close(inotify)
            throw Failure(path: path, number: number)
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        wakeUp = ends[0]
        wakeEnd = ends[1]
        self.prefix = Array(prefix.utf8)
    }

    deinit {
        close(inotify)
        close(wakeUp)
        close(wakeEnd)
    }

    /// Ends the wait that goes on, or the next one.
    package func wake() {
        var one: UInt8 = 1
        // A full pipe wakes as well.
        unsafe write(wakeEnd, &one, 1)
    }

    /// Waits for a change, for ``wake()``, or for `limit`.
    ///
    /// - Parameter limit: Rounded up to whole milliseconds.
    /// - Returns: What ended the wait; several changes at once are one.
    package func wait(atMost limit: Duration) -> Event {
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        while true {
            let remaining = max(.zero, deadline - clock.now)
            var polled = [
                pollfd(fd: inotify, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
            ]
            let (seconds, attoseconds) = remaining.components
            let milliseconds = min(
                seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000, 86_400_000)
            let count = unsafe poll(&polled, 2, CInt(milliseconds))
            if count == 0 { return .timedOut }
            if polled[1].revents != 0 {
                unsafe withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer in
                    while unsafe read(wakeUp, buffer.baseAddress, buffer.count) > 0 {}
                }
                return .woken
            }
            if polled[0].revents != 0, drain() { return .changed }
        }
    }

    /// Reads all that is there.
    ///
    /// - Returns: Whether any of it is about a file that counts.
    private func drain() -> Bool {
        var isRelevant = false
        unsafe withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            while true {
                let count = unsafe read(inotify, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                var offset = 0
                let headerCount = MemoryLayout<inotify_event>.size
                while offset + headerCount <= count {
                    let event = unsafe buffer.load(fromByteOffset: offset, as: inotify_event.self)
                    let nameCount = Int(event.len)
                    let name = unsafe UnsafeRawBufferPointer(buffer)[
                        (offset + headerCount)..<(offset + headerCount + nameCount)]
                    // These have no name: anything may have happened to every file.
                    let isWhole = event.mask & UInt32(IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF) != 0
                    if unsafe isWhole || name.starts(with: prefix) { isRelevant = true }
                    offset += headerCount + nameCount
                }
            }
        }
        return isRelevant
    }
}
