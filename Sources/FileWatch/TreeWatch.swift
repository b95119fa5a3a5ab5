internal import Glibc
internal import Synchronization

/// Tells when anything in some directories is made, written to its end, moved or removed, and can be woken from elsewhere.
///
/// One thread watches and waits; any thread may ``wake()``. See inotify(7), pipe(7).
///
/// Lock order: `inotify` is a leaf.
@safe package final class TreeWatch: Sendable {
    /// What is watched.
    package struct Place: Hashable, Sendable {
        package let path: String

        /// Whether all directories in it are watched too, but for hidden ones.
        package let isTree: Bool

        package init(_ path: String, isTree: Bool) {
            self.path = path
            self.isTree = isTree
        }
    }

    /// What isn't touched, with all below it.
    private let excluded: String

    private let wakeUp: Int32
    private let wakeEnd: Int32

    /// Replaced as a whole with what is watched; -1 while nothing is.
    private let inotify = Mutex<Int32>(-1)

    /// How many directories are watched; users have 8,192 watches and more.
    private static var maximumCount: Int { 8_000 }
    private static var depthLimit: Int { 64 }

    /// Watches nothing yet.
    ///
    /// - Parameter excluded: A directory that isn't touched, with all below it.
    /// - Throws: ``DirectoryWatch/Failure``.
    package init(except excluded: String = "/proc") throws(DirectoryWatch.Failure) {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw DirectoryWatch.Failure(path: "", number: errno) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        wakeUp = ends[0]
        wakeEnd = ends[1]
        self.excluded = excluded
    }

    deinit {
        inotify.withLock { if $0 >= 0 { close($0) } }
        close(wakeUp)
        close(wakeEnd)
    }

    /// Watches other places than before; what happens from now on is told by the next ``wait(atMost:)``.
    ///
    /// - Parameter places: What can't be watched is left out.
    /// - Returns: Whether all of it is watched.
    package func watch(_ places: [Place]) -> Bool {
        let descriptor = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
        inotify.withLock { current in
            if current >= 0 { close(current) }
            current = descriptor
        }
        guard descriptor >= 0 else { return false }
        var left = Self.maximumCount
        return places.reduce(true) { isWhole, place in
            add(place.path, isTree: place.isTree, depth: 0, to: descriptor, left: &left) && isWhole
        }
    }

    /// Ends the wait that goes on, or the next one.
    package func wake() {
        var one: UInt8 = 1
        // A full pipe wakes as well.
        unsafe write(wakeEnd, &one, 1)
    }

    /// Waits for a change, for ``wake()``, or for `limit`.
    ///
    /// - Parameter limit: Rounded down to whole milliseconds.
    /// - Returns: What ended the wait; several changes at once are one.
    package func wait(atMost limit: Duration) -> DirectoryWatch.Event {
        let descriptor = inotify.withLock { $0 }
        var polled = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
        ]
        let (seconds, attoseconds) = limit.components
        let milliseconds = min(seconds * 1_000 + attoseconds / 1_000_000_000_000_000, 86_400_000)
        let count = unsafe poll(&polled, 2, CInt(milliseconds))
        guard count > 0 else { return .timedOut }
        if polled[1].revents != 0 {
            Self.drain(wakeUp)
            return .woken
        }
        Self.drain(descriptor)
        return .changed
    }

    private static func drain(_ descriptor: Int32) {
        unsafe withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            while unsafe read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }

    /// - Returns: Whether the directory is watched, and all in it that should be.
    private func add(
        _ path: String, isTree: Bool, depth: Int, to descriptor: Int32, left: inout Int
    ) -> Bool {
        // A tree is of files that are written and closed; a single directory may be that of a database, which stays open.
        let written = isTree ? IN_CLOSE_WRITE : IN_MODIFY
        let mask = UInt32(
            written | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF)
        if (path + "/").hasPrefix(excluded + "/") { return true }
        guard left > 0, depth <= Self.depthLimit, unsafe inotify_add_watch(descriptor, path, mask) >= 0 else {
            return false
        }
        left -= 1
        guard isTree, let stream = unsafe opendir(path) else { return !isTree }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            // A file system that doesn't say what an entry is has to be asked.
            let type = unsafe entry.pointee.d_type
            guard type == UInt8(DT_DIR) || type == UInt8(DT_UNKNOWN) else { continue }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                    unsafe String(validatingCString: $0)
                }
            }
            guard let name, !name.hasPrefix("."), path + "/" + name != excluded,
                Self.isDirectory(path + "/" + name, type)
            else { continue }
            names.append(name)
        }
        unsafe closedir(stream)
        return names.reduce(true) { isWhole, name in
            add(path + "/" + name, isTree: true, depth: depth + 1, to: descriptor, left: &left) && isWhole
        }
    }

    private static func isDirectory(_ path: String, _ type: UInt8) -> Bool {
        if type == UInt8(DT_DIR) { return true }
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
