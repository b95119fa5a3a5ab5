internal import Glibc

/// The numbers of processes, and of the threads of one, as the kernel lists them; see proc(5).
package enum ProcessTable {
    /// The processes that there are.
    package static var processes: [Int32] { numbers(in: "/proc") }

    /// The threads of a process; none if it is gone.
    package static func threads(of process: Int32) -> [Int32] { numbers(in: "/proc/\(process)/task") }

    private static func numbers(in directory: String) -> [Int32] {
        guard let stream = unsafe opendir(directory) else { return [] }
        defer { unsafe closedir(stream) }
        var numbers: [Int32] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if let number = Int32(name) { numbers.append(number) }
        }
        return numbers
    }
}
