internal import Glibc

/// A process that was killed and hasn't ended yet.
///
/// See proc(5), `/proc/PID/task/TID/stat`.
package enum DyingProcess {
    /// How far it is.
    package enum Stage: Hashable, Sendable {
        /// Nobody has killed it: its main thread is there.
        case alive

        /// Its threads are on their way out.
        case ending

        /// The threads that it still has wait in the kernel for something, where no signal reaches them.
        case stuck

        /// There is no such process.
        case gone
    }

    /// Looks at a process.
    ///
    /// - Parameter process: Its number; the caller knows that it is nobody else's by now.
    /// - Returns: How far it is.
    package static func stage(of process: Int32) -> Stage {
        guard let main = state(of: "/proc/\(process)/stat") else { return .gone }
        guard endings.contains(main) else { return .alive }
        let left = threads(of: process).filter { !endings.contains($0.state) }
        return !left.isEmpty && left.allSatisfy { $0.state == waiting } ? .stuck : .ending
    }

    /// The threads of a process that wait in the kernel where no signal reaches them.
    package static func stuckThreads(of process: Int32) -> [Int32] {
        threads(of: process).filter { $0.state == waiting }.map(\.number)
    }

    /// The states of threads that have ended, and of those that wait so.
    private static var endings: [UInt8] { [UInt8(ascii: "Z"), UInt8(ascii: "X")] }
    private static var waiting: UInt8 { UInt8(ascii: "D") }

    private static func threads(of process: Int32) -> [(number: Int32, state: UInt8)] {
        ProcessTable.threads(of: process).compactMap { number in
            state(of: "/proc/\(process)/task/\(number)/stat").map { (number, $0) }
        }
    }

    /// The letter behind the name, which may itself have any bytes in it.
    private static func state(of path: String) -> UInt8? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count else { return nil }
        return bytes[end + 2]
    }
}
