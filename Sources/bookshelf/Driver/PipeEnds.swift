internal import Glibc

/// A pipe whose ends close when its owner goes out of scope.
struct PipeEnds: ~Copyable {
    /// Where it is read; -1 once closed.
    private(set) var reading: Int32

    /// Where it is written; -1 once closed.
    private(set) var writing: Int32

    /// - Returns: `nil` if the system has no descriptor left.
    init?() {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    /// Takes over the ends of a pipe that another program of this process made.
    init(reading: Int32, writing: Int32) {
        (self.reading, self.writing) = (reading, writing)
        for end in [reading, writing] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    /// Keeps writers and readers from waiting.
    func setNonBlocking() {
        for end in [reading, writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    /// Closes this process's writing end, so that the pipe ends with the other process's.
    mutating func closeWriting() {
        if writing >= 0 { close(writing) }
        writing = -1
    }

    deinit {
        if reading >= 0 { close(reading) }
        if writing >= 0 { close(writing) }
    }
}
